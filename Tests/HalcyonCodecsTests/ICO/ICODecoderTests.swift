import FoundationEssentials
import HalcyonCodecs
import HalcyonRaster
import Testing

@Suite("ICO and CUR decoders")
struct ICODecoderTests {
    private func decode(_ data: Data, _ options: DecodeOptions = DecodeOptions()) throws -> DecodedImage {
        let image = try ICODecoder().decode(data, options: options, isCancelled: { false })
        #expect(try ICODecoder().info(of: data, limits: options.limits) == image.info)
        return image
    }

    private static let blue: [UInt8] = [255, 0, 0]

    @Test("24 bits with a mask: where it is 1, the image is transparent")
    func mask() throws {
        let image = try decode(ICOBytes.file([ICOBytes.bitmap(2, Self.blue, mask: [0x40, 0, 0, 0])]))
        #expect(image.bitmap[0, 0] == [0, 0, 255, 255])
        #expect(image.bitmap[1, 1] == [0, 0, 0, 0])
        #expect(!image.bitmap.isOpaque)
        #expect(image.info == ImageInfo(format: .ico, size: PixelSize(2, 2), hasAlpha: true))
    }

    @Test("32 bits have alpha, and the mask counts only if that is 0 throughout")
    func alpha() throws {
        let translucent = ICOBytes.bitmap(2, [0, 0, 255, 128], mask: [0xc0, 0, 0, 0])
        #expect(try decode(ICOBytes.file([translucent])).bitmap[1, 0] == [128, 0, 0, 128])
        let unused = ICOBytes.bitmap(2, [0, 0, 255, 0], mask: [0x80, 0, 0, 0])
        let bitmap = try decode(ICOBytes.file([unused])).bitmap
        #expect(bitmap[0, 0] == [0, 0, 0, 0])
        #expect(bitmap[1, 0] == [255, 0, 0, 255])
    }

    @Test("a mask that is left out is none, and of one that is cut short the rows that are there count")
    func missingMask() throws {
        var entry = ICOBytes.bitmap(2, Self.blue)
        let maskByteCount = 8
        entry.bytes.removeLast(maskByteCount)
        #expect(try decode(ICOBytes.file([entry])).bitmap.isOpaque)
        entry.bytes += [0, 0]
        #expect(throws: CodecError.truncated(.ico)) {
            try decode(ICOBytes.file([entry]), DecodeOptions(damage: .isRefused))
        }
        entry.bytes[entry.bytes.count - 2] = 0x80
        let image = try decode(ICOBytes.file([entry]))
        #expect(image.isPartial)
        #expect([image.bitmap[0, 1], image.bitmap[1, 1], image.bitmap[0, 0]].map { $0[3] } == [0, 255, 255])
    }

    @Test("where the best image is damaged, another shows the same")
    func anotherEntry() throws {
        let png = Array(try PNGEncoder().encode(try TestImages.photo(64, 64), options: EncodeOptions()))
        let large = ICOBytes.Entry(width: 64, height: 64, bits: 32, bytes: Array(png.prefix(80)))
        let data = ICOBytes.file([large, ICOBytes.bitmap(8, [0, 255, 0, 255]), ICOBytes.bitmap(4, Self.blue)])
        let image = try decode(data)
        #expect(image.isPartial && image.size == PixelSize(8, 8) && image.bitmap[3, 3] == [0, 255, 0, 255])
        #expect(image.info.size == PixelSize(64, 64) && image.fullSize == PixelSize(64, 64))
        #expect(throws: CodecError.self) { try decode(data, DecodeOptions(damage: .isRefused)) }
        // A damaged header, which says no size.
        var bytes = large
        bytes.bytes = Array(repeating: 7, count: 80)
        let unreadable = try decode(ICOBytes.file([bytes, ICOBytes.bitmap(8, [0, 255, 0, 255])]))
        #expect(unreadable.isPartial && unreadable.info.size == PixelSize(8, 8))
    }

    @Test("of images that are all damaged, what is there of the best is shown, and all are within the limits together")
    func damagedEntries() throws {
        func entry(_ side: Int) throws -> ICOBytes.Entry {
            let png = try PNGEncoder().encode(try TestImages.photo(side, side), options: EncodeOptions())
            return ICOBytes.Entry(width: side, height: side, bits: 32, bytes: Array(png.dropLast(100)))
        }
        let data = try ICOBytes.file([entry(100), entry(90), entry(80), ICOBytes.bitmap(8, [0, 255, 0, 255])])
        #expect(try decode(data).size == PixelSize(8, 8))
        let limits = DecodeLimits(pixelCount: 10_000)
        let image = try decode(data, DecodeOptions(limits: limits))
        #expect(image.isPartial && image.size == PixelSize(100, 100) && image.bitmap[0, 0][3] == 255)
    }

    @Test("of a bitmap that is cut short the rows that are there are shown", arguments: [3, 4])
    func cutPixels(channelCount: Int) throws {
        var entry = ICOBytes.bitmap(8, Array([0, 255, 0, 255].prefix(channelCount)))
        entry.bytes.removeLast(8 * 4 + 3 * 8 * channelCount + 1)
        let image = try decode(ICOBytes.file([entry]))
        #expect(image.isPartial && !image.bitmap.isOpaque)
        #expect([7, 4, 3, 0].map { image.bitmap[2, $0][1] } == [255, 255, 0, 0])
        #expect(throws: CodecError.truncated(.ico)) {
            try decode(ICOBytes.file([entry]), DecodeOptions(damage: .isRefused))
        }
    }

    @Test("entries that all name one damaged image are not all tried, and those beyond the limit are left out")
    func repeatedEntries() throws {
        let count = 5_000
        var directory = BMPBytes.number(0, 2) + BMPBytes.number(1, 2) + BMPBytes.number(count, 2)
        for index in 0..<count {
            directory += [UInt8(index & 255), UInt8(index >> 8), 0, 0] + BMPBytes.number(1, 2) + BMPBytes.number(32, 2)
            directory += BMPBytes.number(90) + BMPBytes.number(6 + 16 * count)
        }
        let png = try PNGEncoder().encode(try TestImages.photo(64, 64), options: EncodeOptions())
        let questions = QuestionCounter(cancelledFrom: .max)
        for bytes in [png.prefix(200), png] {
            let result = Result {
                try ICODecoder().decode(
                    Data(directory) + bytes,
                    options: DecodeOptions(limits: DecodeLimits(frameCount: 1_000)),
                    isCancelled: questions.ask
                )
            }
            if bytes.count == png.count {
                let info = try result.get().info
                #expect(info.size == PixelSize(64, 64) && info.frameCount == 1_000 && !info.isFrameCountExact)
            }
        }
        #expect(questions.count < 40)
    }

    @Test("frames are the sizes, the largest first, the deepest of each; they are no animation")
    func frames() throws {
        let data = ICOBytes.file([
            ICOBytes.bitmap(4, Self.blue), ICOBytes.bitmap(8, Self.blue), ICOBytes.bitmap(4, [0, 0, 255, 255]),
            ICOBytes.bitmap(8, [0, 255, 0, 255]), ICOBytes.bitmap(2, Self.blue),
        ])
        let images = try (0..<3).map { try decode(data, DecodeOptions(frame: $0)) }
        #expect(images.map(\.size) == [PixelSize(8, 8), PixelSize(4, 4), PixelSize(2, 2)])
        #expect(images.map { $0.bitmap[0, 0] } == [[0, 255, 0, 255], [255, 0, 0, 255], [0, 0, 255, 255]])
        #expect(images.map(\.fullSize) == images.map(\.size))
        let info = images[0].info
        #expect(info.frameCount == 3 && info.size == PixelSize(8, 8))
        #expect(info.frameDurations.isEmpty && info.loopCount == nil)
        #expect(throws: CodecError.noSuchFrame(3, frameCount: 3)) { try decode(data, DecodeOptions(frame: 3)) }
    }

    @Test("a target size gets the smallest image that serves, unless it has fewer colours")
    func targetSize() throws {
        let data = ICOBytes.file([
            ICOBytes.bitmap(8, [0, 255, 0, 255]), ICOBytes.bitmap(4, [0, 0, 255, 255]), ICOBytes.bitmap(3, Self.blue),
        ])
        for (target, side) in [(1, 4), (4, 4), (5, 8), (9, 8)] {
            let image = try decode(data, DecodeOptions(targetSize: PixelSize(target, 1)))
            #expect(image.size == PixelSize(side, side), "\(target)")
            #expect(image.fullSize == PixelSize(8, 8))
            #expect(image.info.size == PixelSize(8, 8))
        }
    }

    @Test("a PNG is read as one, whatever size the directory tells")
    func embeddedPNG() throws {
        let bitmap = try TestImages.translucent(300, 3)
        let png = try PNGEncoder().encode(bitmap, options: EncodeOptions())
        let entry = ICOBytes.Entry(width: 0, height: 3, bits: 32, bytes: Array(png))
        let image = try decode(ICOBytes.file([entry]))
        #expect(image.bitmap.greatestDifference(from: bitmap) ?? 255 <= 1)
        #expect(image.info == ImageInfo(format: .ico, size: PixelSize(300, 3), hasAlpha: true))
    }

    @Test("a bitmap compressed as runs has its mask behind their end, or none")
    func runLengths() throws {
        let eight = BMPBytes.header(2, 4, bits: 8, compression: 1, colors: 4) + BMPBytes.fourColors
        let codes: [UInt8] = [2, 1, 0, 0, 1, 2, 1, 3, 0, 1]
        var entry = ICOBytes.Entry(width: 2, height: 2, bits: 8, bytes: eight + codes + [0x80, 0, 0, 0, 0, 0, 0, 0])
        var bitmap = try decode(ICOBytes.file([entry])).bitmap
        #expect(bitmap[0, 1] == BMPBytes.clear && bitmap[1, 1] == BMPBytes.red && !bitmap.isOpaque)
        #expect(bitmap[0, 0] == BMPBytes.green && bitmap[1, 0] == BMPBytes.blue)
        entry.bytes.removeLast(8)
        bitmap = try decode(ICOBytes.file([entry])).bitmap
        #expect(bitmap[0, 1] == BMPBytes.red && bitmap.isOpaque)
        // The last line has ended before the mark.
        let four = BMPBytes.header(3, 2, bits: 4, compression: 2, colors: 4) + BMPBytes.fourColors
        entry.bytes = four + [3, 0x12, 0, 0, 0, 1] + [0x20, 0, 0, 0]
        let image = try decode(ICOBytes.file([entry]))
        #expect((0..<3).map { image.bitmap[$0, 0] } == [BMPBytes.red, BMPBytes.green, BMPBytes.clear])
    }

    @Test("runs that are cut short show the rows that are there, without a mask")
    func cutRuns() throws {
        let header = BMPBytes.header(2, 4, bits: 8, compression: 1, colors: 4) + BMPBytes.fourColors
        let entry = ICOBytes.Entry(width: 2, height: 2, bits: 8, bytes: header + [2, 1, 0, 0, 1])
        let image = try decode(ICOBytes.file([entry]))
        #expect(image.isPartial && image.bitmap[0, 1] == BMPBytes.red && image.bitmap[0, 0] == BMPBytes.clear)
        #expect(throws: CodecError.truncated(.ico)) {
            try decode(ICOBytes.file([entry]), DecodeOptions(damage: .isRefused))
        }
    }

    @Test("pixels follow as many colours as can be named at most, whatever their number is", arguments: [4, 8])
    func colorCount(bits: Int) throws {
        for count in [0, 3, 1 << bits, 300, 0x7fff_ffff] {
            let storedCount = count == 0 ? 1 << bits : min(count, 1 << bits)
            let colors = BMPBytes.fourColors + [UInt8](repeating: 0, count: 1024)
            let pixels: [UInt8] = [bits == 4 ? 0x10 : 1, 0, 0, 0]
            let header = BMPBytes.header(1, 2, bits: bits, colors: count) + Array(colors.prefix(4 * storedCount))
            let entry = ICOBytes.Entry(width: 1, height: 1, bits: bits, bytes: header + pixels + [0, 0, 0, 0])
            #expect(try decode(ICOBytes.file([entry])).bitmap[0, 0] == BMPBytes.red, "\(count)")
        }
    }

    @Test("colours that are only suggested for screens of few do not move the pixels")
    func suggestedColors() throws {
        let bytes = BMPBytes.header(1, 2, bits: 24, colors: 256) + [0, 0, 255, 0] + [0, 0, 0, 0]
        let entry = ICOBytes.Entry(width: 1, height: 1, bits: 24, bytes: bytes)
        #expect(try decode(ICOBytes.file([entry])).bitmap[0, 0] == BMPBytes.red)
    }

    @Test("a mouse pointer is read alike, its hot spot is no depth")
    func pointer() throws {
        var small = ICOBytes.bitmap(2, Self.blue)
        small.bits = 77
        let data = ICOBytes.file([small, ICOBytes.bitmap(2, [0, 0, 255, 255])], type: 2)
        let image = try CURDecoder().decode(data, options: DecodeOptions(), isCancelled: { false })
        #expect(image.info.format == .cur && image.info.frameCount == 1)
        #expect(image.bitmap[0, 0] == [255, 0, 0, 255])
        #expect(ImageCodecs.all.canDecode(.cur) && CURDecoder().recognizes(data))
        #expect(throws: CodecError.corrupt(.ico, reason: "the signature is missing")) { try decode(data) }
    }

    @Test("a file cut at any byte is truncated")
    func truncation() throws {
        let whole = ICOBytes.file([ICOBytes.bitmap(2, Self.blue)])
        // The padding of the mask's last row may be missing, and the mask altogether.
        let pixelsEnd = whole.count - 8
        for count in 1..<whole.count - 3 where count != pixelsEnd && !(pixelsEnd - 2..<pixelsEnd).contains(count) {
            #expect(throws: CodecError.truncated(.ico), "\(count) bytes") {
                try decode(whole.prefix(count), DecodeOptions(damage: .isRefused))
            }
        }
        #expect(throws: CodecError.empty) { try decode(Data()) }
    }

    @Test("changed bytes give an image or a typed error, never a crash", arguments: 0..<4)
    func damage(seed: Int) throws {
        var random = SeededRandom(seed: UInt64(seed))
        let png = try PNGEncoder().encode(try TestImages.photo(4, 4), options: EncodeOptions())
        let data = ICOBytes.file([
            ICOBytes.bitmap(5, Self.blue), ICOBytes.bitmap(4, [1, 2, 3, 4]),
            ICOBytes.Entry(width: 4, height: 4, bits: 32, bytes: Array(png)),
        ])
        for _ in 0..<300 {
            do {
                let options = DecodeOptions(frame: random.next(below: 2), limits: DecodeLimits(memory: 16 << 20))
                _ = try ICODecoder().decode(random.damage(data), options: options, isCancelled: { false })
            } catch {
                #expect(error is CodecError)
            }
        }
    }

    @Test("sides, pixels and memory are limited, and a cancelled decode ends between rows")
    func limits() throws {
        let data = ICOBytes.file([ICOBytes.bitmap(40, Self.blue), ICOBytes.bitmap(2, Self.blue)])
        let size = PixelSize(40, 40)
        let cases: [(DecodeLimits, CodecError.Limit)] = [
            (DecodeLimits(sideLength: 39), .sideLength(size, maximum: 39)),
            (DecodeLimits(pixelCount: 1_599), .pixelCount(size, maximum: 1_599)),
            (DecodeLimits(memory: 1_000), .memory(40 * 192, maximum: 1_000)),
        ]
        for (limits, limit) in cases {
            #expect(throws: CodecError.limitExceeded(.ico, limit)) {
                try ICODecoder().decode(data, options: DecodeOptions(limits: limits), isCancelled: { false })
            }
        }
        let questions = QuestionCounter(cancelledFrom: 2)
        #expect(throws: CancellationError.self) {
            try ICODecoder().decode(data, options: DecodeOptions(), isCancelled: questions.ask)
        }
        #expect(questions.count == 2)
    }

    @Test("no image is a clear error")
    func noImage() {
        #expect(throws: CodecError.corrupt(.ico, reason: "there is no image")) { try decode(ICOBytes.file([])) }
    }
}
