import FoundationEssentials
import HalcyonRaster
import Testing

@testable import HalcyonCodecs
@testable import HalcyonJPEGXL

@Suite("JPEG XL encoding")
struct JPEGXLEncoderTests {
    private let encoder = JPEGXLEncoder()

    private func decode(_ data: Data) throws -> DecodedImage {
        try JPEGXLDecoder().decode(data, options: DecodeOptions(), isCancelled: { false })
    }

    @Test("without a quality, pixels come back as they were, premultiplied", arguments: [false, true])
    func lossless(_ hasAlpha: Bool) throws {
        let original = try Bitmap.sample(PixelSize(61, 43), hasAlpha: hasAlpha)
        let image = try decode(encoder.encode(original, options: EncodeOptions(quality: nil)))
        // Straight colours of small alpha are few, so that premultiplying them again may differ by a level.
        let difference = try #require(image.bitmap.greatestDifference(from: original))
        #expect(difference <= (hasAlpha ? 1 : 0))
        #expect(image.info.hasAlpha == hasAlpha && image.bitmap.isOpaque == !hasAlpha)
    }

    @Test("16 bits a sample stay", arguments: [false, true])
    func sixteenBits(_ hasAlpha: Bool) throws {
        let original = try Bitmap.sample(PixelSize(31, 12), hasAlpha: hasAlpha).converted(to: .sixteen)
        let data = try encoder.encode(original, options: EncodeOptions(quality: nil))
        let options = DecodeOptions(keepsSixteenBits: true)
        let image = try JPEGXLDecoder().decode(data, options: options, isCancelled: { false })
        #expect(image.bitmap.depth == .sixteen && image.info.bitDepth == 16)
        #expect(
            zip(image.bitmap.straightRGBA16(), original.straightRGBA16()).allSatisfy { abs(Int($0) - Int($1)) <= 1 }
        )
        #expect(try decode(data).bitmap.depth == .eight)
    }

    @Test("with a quality, pixels come back nearly as they were, and a lower one takes fewer bytes")
    func lossy() throws {
        let original = try TestImages.photo(96, 64)
        let sizes = try [95, 70, 30].map { quality in
            let data = try encoder.encode(original, options: EncodeOptions(quality: quality))
            let image = try decode(data)
            #expect(image.bitmap.size == original.size && image.bitmap.isOpaque && image.colorProfile == nil)
            let difference = try #require(image.bitmap.greatestDifference(from: original))
            #expect(difference < (quality > 90 ? 40 : 128))
            return data.count
        }
        #expect(sizes[0] > sizes[1] && sizes[1] > sizes[2])
    }

    @Test("an animation needs frames, all of one size")
    func animationErrors() throws {
        let frames = try [PixelSize(4, 4), PixelSize(4, 5)].map {
            AnimationFrame(bitmap: try Bitmap.sample($0), duration: 10)
        }
        #expect(throws: CodecError.cannotEncode(.jxl, reason: "an animation without frames")) {
            try encoder.encode([], loopCount: 0, options: EncodeOptions())
        }
        #expect(throws: CodecError.cannotEncode(.jxl, reason: "frames of different sizes")) {
            try encoder.encode(frames, loopCount: 0, options: EncodeOptions())
        }
    }

    @Test("frames last 24 days at the most")
    func longestDuration() throws {
        let frames = try [.max, 70].map { duration in
            AnimationFrame(bitmap: try Bitmap.sample(PixelSize(12, 8)), duration: duration)
        }
        let data = try JPEGXLEncoder().encode(frames, loopCount: 0, options: EncodeOptions(quality: nil)) { false }
        #expect(try ImageCodecs.all.info(of: data).frameDurations == [Int(Int32.max), 70])
    }

    @Test("frames of no duration are frames all the same")
    func noDuration() throws {
        let frames = try (0..<3).map { index in
            var bitmap = try Bitmap(size: PixelSize(12, 8))
            bitmap.fill(PixelRect(size: bitmap.size), with: Color(white: Double(index) / 2))
            return AnimationFrame(bitmap: bitmap, duration: 0)
        }
        let data = try JPEGXLEncoder().encode(frames, loopCount: 0, options: EncodeOptions(quality: nil)) { false }
        let reader = try ImageCodecs.all.frames(of: data)
        #expect(reader.info.frameDurations == [1, 1, 1])
        for (index, frame) in frames.enumerated() {
            #expect(try reader.frame(at: index).bitmap.greatestDifference(from: frame.bitmap) == 0)
        }
    }

    @Test("EXIF and an XMP packet are kept on request, and what is no profile is refused")
    func metadata() throws {
        let bitmap = try Bitmap.sample(PixelSize(4, 4))
        let xmp = Data("<x:xmpmeta xmlns:x='adobe:ns:meta/'/>".utf8)
        let exif = EXIFBlock(orientation: 6).data
        let metadata = ImageMetadata(exif: exif, xmp: xmp)
        let data = try encoder.encode(bitmap, options: EncodeOptions(metadata: metadata))
        let upright = EXIF.block(exif, orientation: .up, size: bitmap.size)
        let read = try JPEGXLDecoder().metadata(of: data)
        #expect(read == ImageMetadata(exif: upright, xmp: xmp))
        for length in 0..<data.count {
            let part = try? JPEGXLDecoder().metadata(of: data.prefix(length))
            #expect(part?.exif == nil || part?.exif == upright)
        }
        let nonsense = EncodeOptions(colorProfile: .icc(Data("profile".utf8)))
        #expect(throws: CodecError.self) { try encoder.encode(bitmap, options: nonsense) }
    }
}
