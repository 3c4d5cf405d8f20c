import FoundationEssentials
import HalcyonRaster
import Testing

@testable import HalcyonCodecs

@Suite("Thumbnails embedded in JPEG files")
struct JPEGThumbnailTests {
    /// An EXIF block of two directories, the second with a thumbnail.
    private static func exif(_ thumbnail: Data, orientation: UInt8 = 1, length: Int? = nil) -> Data {
        func number(_ value: Int) -> [UInt8] { [24, 16, 8, 0].map { UInt8(value >> $0 & 255) } }
        var block = Data("MM".utf8) + [0, 42] + number(8)
        block += [0, 1, 1, 0x12, 0, 3] + number(1) + [0, orientation, 0, 0] + number(26)
        block += [0, 3, 1, 3, 0, 3] + number(1) + [0, 6, 0, 0]
        block += [2, 1, 0, 4] + number(1) + number(68) + [2, 2, 0, 4] + number(1)
        block += number(length ?? thumbnail.count) + number(0)
        return JPEGBytes.segment(0xe1, Data("Exif\0\0".utf8) + block + thumbnail)
    }

    /// A grey image of 160 × 120 with a lighter thumbnail.
    private func decode(
        _ thumbnail: PixelSize,
        target: PixelSize?,
        orientation: UInt8 = 1,
        appliesOrientation: Bool = true,
        usesEmbeddedThumbnail: Bool = true
    ) throws -> DecodedImage {
        let light = JPEGBytes(width: thumbnail.width, height: thumbnail.height, samples: [200])
        return try decode(
            Self.exif(light.data, orientation: orientation),
            DecodeOptions(
                targetSize: target,
                appliesOrientation: appliesOrientation,
                usesEmbeddedThumbnail: usesEmbeddedThumbnail
            )
        )
    }

    private func decode(_ exif: Data, _ options: DecodeOptions) throws -> DecodedImage {
        var file = JPEGBytes(width: 160, height: 120, samples: [100])
        file.segments = exif
        return try JPEGDecoder().decode(file.data, options: options, isCancelled: { false })
    }

    @Test("one stands in where it has at least the target size, or where no size is asked for")
    func sizes() throws {
        for target in [nil, PixelSize(40, 30), PixelSize(20, 20)] {
            let image = try decode(PixelSize(40, 30), target: target)
            #expect(image.bitmap[0, 0] == [200, 200, 200, 255])
            #expect(image.size == PixelSize(40, 30))
            #expect(image.info.size == PixelSize(160, 120))
            #expect(image.fullSize == PixelSize(160, 120))
        }
        #expect(try decode(PixelSize(40, 30), target: PixelSize(41, 30)).bitmap[0, 0] == [100, 100, 100, 255])
    }

    @Test("it is not looked for unless the options allow it")
    func refused() throws {
        let image = try decode(PixelSize(40, 30), target: nil, usesEmbeddedThumbnail: false)
        #expect(image.size == PixelSize(160, 120))
    }

    @Test(
        "it must have the image's shape, but for rounding",
        arguments: [
            (PixelSize(40, 30), true), (PixelSize(80, 59), true), (PixelSize(7, 5), true), (PixelSize(80, 61), true),
            (PixelSize(40, 40), false), (PixelSize(80, 50), false), (PixelSize(30, 40), false),
            (PixelSize(320, 240), false),
        ]
    )
    func shapes(_ size: PixelSize, isUsed: Bool) throws {
        #expect(try decode(size, target: nil).size == (isUsed ? size : PixelSize(160, 120)))
    }

    @Test("it is turned as the image is")
    func orientation() throws {
        let image = try decode(PixelSize(40, 30), target: PixelSize(30, 40), orientation: 6)
        #expect(image.size == PixelSize(30, 40))
        #expect(image.fullSize == PixelSize(120, 160))
        let stored = try decode(
            PixelSize(40, 30),
            target: PixelSize(40, 30),
            orientation: 6,
            appliesOrientation: false
        )
        #expect(stored.size == PixelSize(40, 30))
        #expect(stored.fullSize == PixelSize(160, 120))
    }

    @Test("a damaged one, or one outside of the block, leaves the image")
    func damaged() throws {
        let options = DecodeOptions(usesEmbeddedThumbnail: true)
        let thumbnail = JPEGBytes(width: 40, height: 30, samples: [200]).data
        for (data, length) in [(thumbnail.dropLast(6), nil), (Data("no image".utf8), nil), (thumbnail, 100_000)] {
            let image = try decode(Self.exif(data, length: length), options)
            #expect(image.bitmap[0, 0] == [100, 100, 100, 255])
        }
        // Any byte of the block may be any other.
        var random = SeededRandom(seed: 5)
        for _ in 0..<300 {
            var exif = Self.exif(thumbnail)
            exif[Int.random(in: 12..<120, using: &random)] = UInt8.random(in: 0...255, using: &random)
            _ = try decode(exif, options)
        }
    }

    @Test("its own limits hold, and cancelling ends it")
    func limits() throws {
        let light = JPEGBytes(width: 40, height: 30, samples: [200]).data
        let limits = DecodeLimits(pixelCount: 1_200)
        let options = DecodeOptions(usesEmbeddedThumbnail: true, limits: limits)
        #expect(try decode(Self.exif(light), options).size == PixelSize(40, 30))
        #expect(throws: CancellationError.self) {
            var file = JPEGBytes(width: 160, height: 120, samples: [100])
            file.segments = Self.exif(light)
            _ = try JPEGDecoder().decode(file.data, options: options, isCancelled: { true })
        }
    }
}
