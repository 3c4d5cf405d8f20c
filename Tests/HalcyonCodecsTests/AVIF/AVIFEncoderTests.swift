import FoundationEssentials
import HalcyonRaster
import HalcyonTesting
import Testing

@testable import HalcyonCodecs

@Suite("AVIF encoding")
struct AVIFEncoderTests {
    private func encode(_ bitmap: Bitmap, quality: Int?, _ encoder: QuickAVIFEncoder = QuickAVIFEncoder()) throws
        -> Data
    {
        try encoder.encode(bitmap, options: EncodeOptions(quality: quality))
    }

    @Test("a higher quality is nearer to the image and larger")
    func quality() throws {
        let photo = try TestImages.photo(96, 64)
        var (lastSize, lastDifference) = (0, 256)
        for quality in [5, 50, 95] {
            let data = try encode(photo, quality: quality)
            let image = try AVIFDecoder().decode(data, options: DecodeOptions(), isCancelled: { false })
            let difference = try #require(image.bitmap.greatestDifference(from: photo))
            #expect(data.count > lastSize && difference < lastDifference)
            (lastSize, lastDifference) = (data.count, difference)
        }
        #expect(try firstDifference(encode(photo, quality: 0), encode(photo, quality: 1)) == nil)
        #expect(try firstDifference(encode(photo, quality: 101), encode(photo, quality: 100)) == nil)
    }

    @Test("4:4:4 keeps coloured edges, 4:2:0 does not")
    func chromaSampling() throws {
        let stripes = try TestImages.bitmap(32, 32) { x, _ in x % 2 == 0 ? (255, 0, 0, 255) : (0, 0, 255, 255) }
        func difference(_ sampling: ChromaSampling) throws -> Int {
            let data = try encode(stripes, quality: 95, QuickAVIFEncoder(chromaSampling: sampling))
            let image = try AVIFDecoder().decode(data, options: DecodeOptions(), isCancelled: { false })
            return try #require(image.bitmap.greatestDifference(from: stripes))
        }
        #expect(try difference(.yuv444) < 20)
        #expect(try difference(.yuv420) > 60)
    }

    @Test("16 bits a sample become 10, and 12 without a quality", arguments: [false, true])
    func sixteenBits(_ hasAlpha: Bool) throws {
        let original = try TestImages.photo(64, 48).converted(to: .sixteen)
        var bitmap = original
        if hasAlpha { bitmap.isOpaque = false }
        func decode(quality: Int?) throws -> DecodedImage {
            let data = try encode(bitmap, quality: quality)
            return try AVIFDecoder().decode(
                data,
                options: DecodeOptions(keepsSixteenBits: true),
                isCancelled: { false }
            )
        }
        let lossy = try decode(quality: 100)
        #expect(lossy.info.bitDepth == 10 && lossy.bitmap.depth == .sixteen)
        let lossless = try decode(quality: nil)
        #expect(lossless.info.bitDepth == 12 && lossless.bitmap.depth == .sixteen)
        // Sixteen levels of 16 bits are one of 12.
        let pairs = zip(lossless.bitmap.straightRGBA16(), original.straightRGBA16())
        #expect(pairs.allSatisfy { abs(Int($0) - Int($1)) <= 16 })
    }

    @Test("the number of threads, if several, changes no byte")
    func threads() throws {
        let photo = try TestImages.photo(320, 200)
        let files = try [2, 3, 8].map {
            try AVIFEncoder().encode(photo, options: EncodeOptions(quality: 60, effort: 3, threadCount: $0))
        }
        #expect(firstDifference(files[0], files[1]) == nil && firstDifference(files[0], files[2]) == nil)
    }

    @Test("alpha is kept, straight and lossy", arguments: [1, 7, 64])
    func alpha(_ side: Int) throws {
        let original = try Bitmap.sample(PixelSize(side, side), hasAlpha: true)
        let data = try encode(original, quality: 90)
        let image = try AVIFDecoder().decode(data, options: DecodeOptions(), isCancelled: { false })
        let difference = try #require(image.bitmap.greatestDifference(from: original))
        #expect(difference < 24 && image.info.hasAlpha)
    }

    @Test("sides beyond what the format can say are refused")
    func tooLarge() throws {
        let bitmap = try Bitmap(size: PixelSize(65_537, 1), isOpaque: true)
        #expect(throws: CodecError.self) { try encode(bitmap, quality: 50) }
    }

    @Test("a damaged EXIF block is refused or left out, never a crash")
    func damagedMetadata() throws {
        let metadata = ImageMetadata(exif: Data([1, 2, 3]), xmp: Data())
        let options = EncodeOptions(metadata: metadata, colorProfile: .icc(Data([0])))
        do {
            _ = try QuickAVIFEncoder().encode(.sample(PixelSize(8, 8)), options: options)
        } catch {
            #expect(error as? CodecError == .cannotEncode(.avif, reason: "Invalid Exif payload"))
        }
    }
}
