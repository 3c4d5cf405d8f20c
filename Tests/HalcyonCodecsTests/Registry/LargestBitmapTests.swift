import FoundationEssentials
import HalcyonRaster
import HalcyonTesting
import Testing

@testable import HalcyonCodecs

@Suite("The largest bitmap")
struct LargestBitmapTests {
    private let codecs = ImageCodecs.all

    private func decode(_ data: Data, _ largest: Int, _ options: DecodeOptions = DecodeOptions()) throws -> DecodedImage
    {
        var options = options
        options.largestByteCount = largest
        return try codecs.decode(data, options: options)
    }

    @Test(
        "is kept to, close to it and in the shape of the image",
        arguments: [ImageFormat.jpeg, .png, .webp, .qoi],
        [PixelSize(320, 240), PixelSize(1_000, 40), PixelSize(33, 777)]
    )
    func bound(format: ImageFormat, size: PixelSize) throws {
        let data = try codecs.encode(Bitmap.sample(size), as: format)
        for divisor in [1, 2, 3, 5, 17, 70, 300] {
            let largest = size.area * 4 / divisor
            let image = try decode(data, largest)
            #expect(image.bitmap.byteCount <= max(64, largest), "\(image.size) for \(largest)")
            #expect(image.info.size == size)
            let width = Double(image.size.height) * Double(size.width) / Double(size.height)
            #expect(abs(width - Double(image.size.width)) <= 1 + Double(size.width) / Double(size.height))
            // Rows are padded, which small images cannot avoid.
            if image.size.width >= 64, divisor > 1 { #expect(image.bitmap.byteCount * 10 > largest * 7) }
        }
    }

    @Test("leaves an image that takes no more as it is")
    func small() throws {
        let bitmap = try Bitmap.sample(PixelSize(320, 240))
        let data = try codecs.encode(bitmap, as: .png)
        let image = try decode(data, bitmap.byteCount)
        #expect(image.size == bitmap.size && image.fullSize == bitmap.size)
        #expect(try decode(data, bitmap.byteCount - 1).size != bitmap.size)
    }

    @Test("is a pixel at least")
    func atLeastAPixel() throws {
        let data = try codecs.encode(Bitmap.sample(PixelSize(30, 20)), as: .png)
        #expect(try decode(data, 0).size == PixelSize(1, 1))
        #expect(try decode(data, -1).size == PixelSize(1, 1))
    }

    @Test("of samples of 16 bits counts their bytes")
    func sixteenBits() throws {
        let bitmap = try Bitmap(size: PixelSize(64, 64), depth: .sixteen)
        let data = try codecs.encode(bitmap, as: .png)
        let image = try decode(data, 64 * 64 * 4, DecodeOptions(keepsSixteenBits: true))
        #expect(image.bitmap.depth == .sixteen && image.bitmap.byteCount <= 64 * 64 * 4 && image.size.width >= 40)
    }

    @Test("of a turned image is that of the upright one")
    func orientation() throws {
        let jpeg = try codecs.encode(Bitmap.sample(PixelSize(400, 200)), as: .jpeg)
        let turned = jpeg.prefix(2) + Self.orientation6 + jpeg.dropFirst(2)
        let image = try decode(turned, 200 * 400)
        #expect(image.bitmap.byteCount <= 200 * 400 && image.size.height > image.size.width)
        #expect(image.size.height > 180)
    }

    @Test("of a turned image takes no more memory than that of an upright one", arguments: [1, 3, 6, 8])
    func memoryOfTurned(orientation: UInt8) throws {
        let size = PixelSize(400, 200)
        let jpeg = try codecs.encode(Bitmap.sample(size), as: .jpeg)
        var segment = Self.orientation6
        segment[segment.startIndex + 29] = orientation
        let turned = jpeg.prefix(2) + segment + jpeg.dropFirst(2)
        // Half of each side, which is decoded whole and then reduced.
        let largest = 110 * 55 * 4
        let limits = DecodeLimits(memory: 200 * 100 * 4 + 64 * 200)
        let image = try decode(turned, largest, DecodeOptions(limits: limits))
        #expect(image.info.orientation.rawValue == Int(orientation))
        #expect(image.bitmap.byteCount <= largest && image.fullSize == image.size)
        #expect((image.size.height > image.size.width) == (orientation >= 5))
        // The same pixels as those of an image that is turned whole.
        let whole = try codecs.decode(turned, options: DecodeOptions(targetSize: PixelSize(100, 100)))
        #expect(
            abs(image.size.width * whole.size.height - image.size.height * whole.size.width) <= whole.size.area / 20
        )
    }

    @Test("can be one of its longer side, alone or with one of its bytes", arguments: [ImageFormat.jpeg, .png])
    func sideLength(format: ImageFormat) throws {
        let data = try codecs.encode(Bitmap.sample(PixelSize(320, 240)), as: format)
        func size(_ length: Int, _ byteCount: Int? = nil) throws -> PixelSize {
            let options = DecodeOptions(largestByteCount: byteCount, largestSideLength: length)
            return try codecs.decode(data, options: options).size
        }
        #expect(try size(320) == PixelSize(320, 240))
        #expect(try size(319) == PixelSize(319, 239))
        #expect(try size(100) == PixelSize(100, 75))
        #expect(try size(1) == PixelSize(1, 1) && size(0) == PixelSize(1, 1))
        #expect(try size(100, 32 * 24 * 4).width <= 32)
        #expect(try size(64, 300 * 300 * 4) == PixelSize(64, 48))
    }

    @Test("lets a JPEG be decoded whose size as stored is beyond the limits, and no other format")
    func beyondLimits() throws {
        let size = PixelSize(800, 600)
        let limits = DecodeLimits(pixelCount: 200 * 150, sideLength: 300, memory: 200 * 150 * 4 + 64 * 150)
        let options = DecodeOptions(limits: limits)
        let jpeg = try codecs.encode(Bitmap.sample(size), as: .jpeg)
        #expect(throws: CodecError.self) { try codecs.decode(jpeg, options: options) }
        let image = try decode(jpeg, 100 * 75 * 4, options)
        #expect(image.bitmap.byteCount <= 100 * 75 * 4 && image.size.width > 90)
        let png = try codecs.encode(Bitmap.sample(size), as: .png)
        #expect(throws: CodecError.limitExceeded(.png, .sideLength(size, maximum: 300))) {
            try decode(png, 100 * 75 * 4, options)
        }
        // 1/8 is the smallest, and still more than the limits allow.
        #expect(throws: CodecError.self) {
            try decode(jpeg, 100, DecodeOptions(limits: DecodeLimits(pixelCount: 99 * 75)))
        }
    }

    @Test("decodes a JPEG at the smallest scale that covers it")
    func scale() {
        let size = PixelSize(8_000, 6_000)
        func eighths(_ target: PixelSize, _ largest: Int?) -> Int32 {
            let limit = largest.map { BitmapLimit(byteCount: $0, sideLength: nil) }
            return JPEGScale(of: size, serving: target, within: limit).eighths
        }
        #expect(eighths(PixelSize(3_000, 2_250), nil) == 8)
        #expect(eighths(PixelSize(3_000, 2_250), 3_000 * 2_250 * 4) == 4)
        #expect(eighths(PixelSize(1_500, 1_125), 1_500 * 1_125 * 4) == 2)
        #expect(eighths(PixelSize(500, 375), 500 * 375 * 4) == 1)
        #expect(eighths(PixelSize(400, 300), .max) == 1)
    }

    @Test("is kept to together with a smaller target")
    func target() throws {
        let jpeg = try codecs.encode(Bitmap.sample(PixelSize(800, 600)), as: .jpeg)
        let options = DecodeOptions(targetSize: PixelSize(90, 60))
        let image = try decode(jpeg, 300 * 225 * 4, options)
        #expect(image.size == PixelSize(200, 150))
        let larger = try decode(jpeg, 300 * 225 * 4, DecodeOptions(targetSize: PixelSize(700, 500)))
        #expect(larger.bitmap.byteCount <= 300 * 225 * 4 && larger.size.width > 280)
        #expect(larger.fullSize == larger.size)
    }

    @Test("of a very long image is made within the limits of memory, what scaling takes included")
    func longImage() throws {
        let data = try codecs.encode(Bitmap(size: PixelSize(1_000_000, 1)), as: .qoi)
        // The bitmap takes 4 MB, and the weights of a result almost as long as many.
        let limits = DecodeLimits(memory: 6_000_000)
        #expect(throws: CodecError.self) { try decode(data, 3_900_000, DecodeOptions(limits: limits)) }
        #expect(try decode(data, 3_900_000).size.width > 970_000)
        let width = try decode(data, 400, DecodeOptions(limits: limits)).size.width
        #expect((90...100).contains(width))
    }

    @Test("is not made once decoding is cancelled")
    func cancellation() throws {
        let data = try codecs.encode(Bitmap.sample(PixelSize(64, 64)), as: .qoi)
        let options = DecodeOptions(largestByteCount: 1_024)
        #expect(throws: CancellationError.self) { try codecs.decode(data, options: options, isCancelled: { true }) }
    }

    @Test("of a drawing is drawn at its size, whatever size the drawing states or a target asks for")
    func drawing() throws {
        let text = "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"30000\" height=\"20000\"/>"
        let limits = DecodeLimits(pixelCount: 300 * 200)
        let image = try decode(Data(text.utf8), 200 * 200 * 4, DecodeOptions(limits: limits))
        #expect(image.bitmap.byteCount <= 200 * 200 * 4 && image.size.width > 230)
        let icon = "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"30\" height=\"20\"/>"
        let target = DecodeOptions(targetSize: PixelSize(3_000, 2_000), limits: limits)
        let drawn = try decode(Data(icon.utf8), 200 * 200 * 4, target)
        #expect(drawn.bitmap.byteCount <= 200 * 200 * 4 && drawn.size.width > 230)
    }

    /// An EXIF segment that says that the image is stored a quarter turn to the left.
    private static let orientation6: Data = {
        let tiff: [UInt8] = [
            0x4D, 0x4D, 0, 42, 0, 0, 0, 8, 0, 1, 0x01, 0x12, 0, 3, 0, 0, 0, 1, 0, 6, 0, 0, 0, 0, 0, 0,
        ]
        let body = Array("Exif\0\0".utf8) + tiff
        return Data([0xFF, 0xE1, UInt8((body.count + 2) >> 8), UInt8((body.count + 2) & 255)] + body)
    }()
}
