import FoundationEssentials
import HalcyonRaster
import HalcyonTesting
import Testing

@testable import HalcyonCodecs

@Suite("JPEG encoding")
struct JPEGEncoderTests {
    private func decode(_ data: Data) throws -> Bitmap {
        try JPEGDecoder().decode(data, options: DecodeOptions(), isCancelled: { false }).bitmap
    }

    @Test("higher quality is nearer to the original and larger")
    func quality() throws {
        let original = try Bitmap.sample(PixelSize(120, 90))
        let files = try [10, 50, 85, 100].map {
            try JPEGEncoder().encode(original, options: EncodeOptions(quality: $0))
        }
        #expect(files.map(\.count) == files.map(\.count).sorted())
        #expect(try #require(decode(files[2]).greatestDifference(from: original)) < 16)
        #expect(try #require(decode(files[3]).greatestDifference(from: original)) <= 4)
        #expect(
            try firstDifference(JPEGEncoder().encode(original, options: EncodeOptions(quality: nil)), files[3]) == nil
        )
        #expect(
            try firstDifference(JPEGEncoder().encode(original, options: EncodeOptions(quality: 1_000)), files[3]) == nil
        )
    }

    @Test("colour has half the resolution below quality 90", arguments: [(89, 2), (90, 1)])
    func chroma(_ quality: Int, factor: Int) throws {
        let data = try JPEGEncoder().encode(Bitmap.sample(PixelSize(20, 20)), options: EncodeOptions(quality: quality))
        let header = try JPEGHeader(parsing: data)
        #expect(header.components.map(\.horizontalSampling) == [factor, 1, 1])
        #expect(header.components.map(\.verticalSampling) == [factor, 1, 1])
        #expect(!header.isProgressive)
    }

    @Test(
        "tables made for the image, or for a part of it, make the file smaller and change no pixel",
        arguments: [PixelSize(40, 30), PixelSize(640, 480), PixelSize(480, 1_200)],
        [EncodeOptions(quality: 80), EncodeOptions(quality: 95)]
    )
    func tables(_ size: PixelSize, _ options: EncodeOptions) throws {
        for isGray in [false, true] {
            var photo = try TestImages.photo(size.width, size.height)
            if isGray { photo = try Self.gray(photo) }
            let files = try [1, nil, 9].map { (effort: Int?) in
                var options = options
                options.effort = effort
                return try JPEGEncoder().encode(photo, options: options)
            }
            #expect(files[1].count < files[0].count && files[2].count <= files[1].count)
            let bitmaps = try files.map(decode)
            #expect(bitmaps[1].greatestDifference(from: bitmaps[0]) == 0)
            #expect(bitmaps[2].greatestDifference(from: bitmaps[0]) == 0)
        }
    }

    @Test("symbols that the part of the image does not have, from which tables are made, have codes")
    func unsampledSymbols() throws {
        // Everything is white but one row of blocks of noise, which is looked at by none of the samples.
        var bitmap = try TestImages.bitmap(64, 1_600) { _, _ in (255, 255, 255, 255) }
        var random = SeededRandom(seed: 7)
        for y in 160..<168 {
            for x in 0..<64 {
                let color = Color(red: Double(random.next() % 256) / 255, green: 0, blue: 1)
                bitmap.fill(PixelRect(x: x, y: y, width: 1, height: 1), with: color)
            }
        }
        let files = try [1, nil].map { (effort: Int?) in
            try JPEGEncoder().encode(bitmap, options: EncodeOptions(quality: 100, effort: effort))
        }
        #expect(try decode(files[0]).greatestDifference(from: decode(files[1])) == 0)
    }

    @Test("shades of grey take one component, on a grey background too, and colours or a profile of them three")
    func gray() throws {
        let gray = try Self.gray(TestImages.photo(50, 40))
        func componentCount(_ bitmap: Bitmap, _ options: EncodeOptions = EncodeOptions()) throws -> Int {
            try JPEGHeader(parsing: JPEGEncoder().encode(bitmap, options: options)).components.count
        }
        #expect(try componentCount(gray) == 1)
        let copy = try decode(JPEGEncoder().encode(gray, options: EncodeOptions(quality: 100)))
        #expect(try #require(copy.greatestDifference(from: gray)) <= 2)
        var coloured = gray
        coloured.fill(PixelRect(x: 49, y: 39, width: 1, height: 1), with: Color(red: 1, green: 0, blue: 0))
        #expect(try componentCount(coloured) == 3)
        var transparent = try Bitmap(size: PixelSize(20, 20))
        transparent.fill(PixelRect(x: 0, y: 0, width: 10, height: 20), with: .black)
        #expect(try componentCount(transparent) == 1)
        let red = Color(red: 1, green: 0, blue: 0)
        #expect(try componentCount(transparent, EncodeOptions(background: red)) == 3)
        let profile = ColorProfile.icc(ICCProfileBytes.version4([("en", "Display P3")]))
        #expect(try componentCount(gray, EncodeOptions(colorProfile: profile)) == 3)
    }

    @Test("progressive files have the same pixels, and the sampling of colours is that of the options")
    func progression() throws {
        let photo = try TestImages.photo(120, 90)
        let plain = try JPEGEncoder().encode(photo, options: EncodeOptions(quality: 80))
        let progressive = try JPEGEncoder().encode(photo, options: EncodeOptions(quality: 80, isProgressive: true))
        #expect(try JPEGHeader(parsing: progressive).isProgressive)
        #expect(try decode(progressive).greatestDifference(from: decode(plain)) == 0)
        for (quality, sampling, factor) in [(50, ChromaSampling.yuv444, 1), (95, .yuv420, 2)] {
            let options = EncodeOptions(quality: quality, chromaSampling: sampling)
            let header = try JPEGHeader(parsing: JPEGEncoder().encode(photo, options: options))
            #expect(header.components.map(\.horizontalSampling) == [factor, 1, 1])
        }
    }

    private static func gray(_ bitmap: Bitmap) throws -> Bitmap {
        try TestImages.bitmap(bitmap.width, bitmap.height) { x, y in
            let green = Int(bitmap[x, y][1])
            return (green, green, green, 255)
        }
    }

    @Test("transparent pixels are laid on the background, which is white unless chosen")
    func background() throws {
        var bitmap = try Bitmap(size: PixelSize(40, 40))
        bitmap.fill(PixelRect(x: 0, y: 0, width: 40, height: 20), with: Color(red: 1, green: 0, blue: 0, alpha: 0.5))
        let onWhite = try decode(JPEGEncoder().encode(bitmap, options: EncodeOptions(quality: 100)))
        #expect(isNear(onWhite[5, 5], [255, 127, 127]))
        #expect(isNear(onWhite[35, 35], [255, 255, 255]))
        let blue = Color(red: 0, green: 0, blue: 1, alpha: 0.2)
        let onBlue = try decode(JPEGEncoder().encode(bitmap, options: EncodeOptions(quality: 100, background: blue)))
        #expect(isNear(onBlue[5, 5], [128, 0, 127]))
        #expect(isNear(onBlue[35, 35], [0, 0, 255]))
    }

    @Test(
        "sides that the format cannot hold are refused",
        arguments: [
            (JPEGEncoder() as any ImageEncoder, 65_500), (WebPEncoder(), 16_383),
        ]
    )
    func sides(_ encoder: any ImageEncoder, maximum: Int) throws {
        let size = PixelSize(1, maximum + 1)
        let error = CodecError.cannotEncode(encoder.format, reason: "\(size) pixels; a side can have \(maximum)")
        #expect(throws: error) { try encoder.encode(Bitmap(size: size, isOpaque: false), options: EncodeOptions()) }
        let longest = try encoder.encode(Bitmap(size: PixelSize(1, maximum)), options: EncodeOptions())
        #expect(try ImageCodecs.all.info(of: longest).size == PixelSize(1, maximum))
    }

    private func isNear(_ pixel: [UInt8], _ expected: [Int]) -> Bool {
        zip(pixel, expected).allSatisfy { abs(Int($0) - $1) <= 3 }
    }
}
