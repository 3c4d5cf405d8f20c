import FoundationEssentials
import HalcyonRaster
import Testing

@testable import HalcyonCodecs
@testable import HalcyonJPEGXL

@Suite("JPEG XL decoding")
struct JPEGXLDecoderTests {
    private let decoder = JPEGXLDecoder()

    private func decode(_ data: Data, _ options: DecodeOptions = DecodeOptions()) throws -> DecodedImage {
        try decoder.decode(data, options: options, isCancelled: { false })
    }

    private func lossless(_ size: PixelSize, hasAlpha: Bool = false) throws -> Data {
        try JPEGXLEncoder().encode(Bitmap.sample(size, hasAlpha: hasAlpha), options: EncodeOptions(quality: nil))
    }

    /// Three frames of one colour each.
    private func animation() throws -> Data {
        let frames = try [Color(red: 1, green: 0, blue: 0), Color(red: 0, green: 1, blue: 0), .clear].map { color in
            var bitmap = try Bitmap(size: PixelSize(12, 8))
            bitmap.fill(PixelRect(size: bitmap.size), with: color)
            return AnimationFrame(bitmap: bitmap, duration: color.red > 0 ? 70 : 100)
        }
        return try JPEGXLEncoder().encode(frames, loopCount: 3, options: EncodeOptions(quality: nil))
    }

    @Test("the header alone tells size, alpha and colour")
    func header() throws {
        let data = try lossless(PixelSize(300, 200), hasAlpha: true)
        let expected = ImageInfo(format: .jxl, size: PixelSize(300, 200), hasAlpha: true)
        #expect(try decoder.info(of: data, limits: .standard) == expected)
        #expect(try decoder.info(of: data.prefix(64), limits: .standard) == expected)
        #expect(throws: CodecError.truncated(.jxl)) { try decoder.info(of: data.prefix(4), limits: .standard) }
        #expect(throws: CodecError.empty) { try decoder.info(of: Data(), limits: .standard) }
    }

    @Test("frames that are drawn on each other for one image are within the limit of pixels together")
    func layers() throws {
        let size = PixelSize(16, 16)
        let writer = try JPEGXLWriter(
            size,
            hasAlpha: false,
            depth: .eight,
            options: EncodeOptions(quality: nil),
            loopCount: 0
        )
        for index in 0..<40 {
            var bitmap = try Bitmap(size: size, isOpaque: true)
            bitmap.fill(PixelRect(size: size), with: Color(red: Double(index) / 40, green: 0, blue: 0))
            try writer.add(bitmap, duration: index == 39 ? 100 : 0, isLast: index == 39)
        }
        let data = try writer.finish()
        for count in [40, 39] {
            let limits = DecodeLimits(pixelCount: count * 256)
            let image = Result { try decode(data, DecodeOptions(limits: limits)) }
            guard count < 40 else {
                #expect(try image.get().info.frameCount == 1)
                continue
            }
            let reason = "more frames are drawn on each other than images have"
            #expect(throws: CodecError.unsupported(.jxl, reason: reason)) { try image.get() }
        }
    }

    @Test("bare code streams and containers are told by their first bytes")
    func detection() throws {
        let bare = try lossless(PixelSize(3, 2))
        let options = EncodeOptions(quality: nil, metadata: ImageMetadata(xmp: Data("<x/>".utf8)))
        let boxed = try JPEGXLEncoder().encode(Bitmap.sample(PixelSize(3, 2)), options: options)
        #expect(bare.starts(with: [0xff, 0x0a]) && boxed.starts(with: [0, 0, 0, 12]))
        for data in [bare, boxed] {
            #expect(decoder.recognizes(data.prefix(64)) && ImageFormat.detect(data.prefix(12)) == .jxl)
            #expect(try decode(data).bitmap.greatestDifference(from: Bitmap.sample(PixelSize(3, 2))) == 0)
        }
    }

    @Test("frames are read in any order, with their durations and loops")
    func animatedFrames() throws {
        let data = try animation()
        let info = try decoder.info(of: data, limits: .standard)
        #expect(info.frameCount == 3 && info.frameDurations == [70, 100, 100] && info.loopCount == 3)
        let colors: [[UInt8]] = [[255, 0, 0, 255], [0, 255, 0, 255], [0, 0, 0, 0]]
        var cursor = try decoder.cursor(for: data, options: DecodeOptions())
        var other = try decoder.cursor(for: data, options: DecodeOptions())
        for index in [0, 1, 2, 0, 2, 1, 1] {
            #expect(try cursor.bitmap(ofFrame: index, isCancelled: { false })[5, 5] == colors[index])
            #expect(try other.bitmap(ofFrame: 2 - index, isCancelled: { false })[5, 5] == colors[2 - index])
            #expect(try decode(data, DecodeOptions(frame: index)).bitmap[5, 5] == colors[index])
        }
        for index in [-1, 3] {
            #expect(throws: CodecError.noSuchFrame(index, frameCount: 3)) {
                try decode(data, DecodeOptions(frame: index))
            }
        }
        let cut = try decoder.info(of: data, limits: DecodeLimits(frameCount: 2))
        #expect(cut.frameCount == 2 && !cut.isFrameCountExact && info.isFrameCountExact)
        let last = try decode(data, DecodeOptions(frame: 1, limits: DecodeLimits(frameCount: 2)))
        #expect(last.bitmap[5, 5] == colors[1])
    }

    @Test("a cursor goes on after a cancelled frame")
    func cancelledCursor() throws {
        var cursor = try decoder.cursor(for: animation(), options: DecodeOptions())
        _ = try cursor.bitmap(ofFrame: 0, isCancelled: { false })
        #expect(throws: CancellationError.self) { try cursor.bitmap(ofFrame: 1, isCancelled: { true }) }
        #expect(try cursor.bitmap(ofFrame: 1, isCancelled: { false })[0, 0] == [0, 255, 0, 255])
    }

    @Test("a file cut at any byte is truncated")
    func truncation() throws {
        let data = try lossless(PixelSize(33, 21), hasAlpha: true)
        for length in 1..<data.count - 1 {
            #expect(throws: CodecError.truncated(.jxl), "cut at \(length) of \(data.count)") {
                try decode(data.prefix(length), DecodeOptions(damage: .isRefused))
            }
        }
    }

    @Test("a file that is cut short shows what is there", arguments: [nil, 80])
    func partial(_ quality: Int?) throws {
        let photo = try TestImages.photo(600, 500)
        let data = try JPEGXLEncoder().encode(photo, options: EncodeOptions(quality: quality))
        let image = try decode(data.prefix(data.count * 3 / 4))
        #expect(image.isPartial && image.size == photo.size)
        #expect(!image.bitmap.isOpaque || !image.bitmap.containsTransparency())
        #expect(abs(Int(image.bitmap[40, 40][1]) - Int(photo[40, 40][1])) < 32)
        #expect(try !decode(data).isPartial)
        #expect(throws: CodecError.truncated(.jxl)) { try decode(data.prefix(30)) }
        #expect(throws: CodecError.truncated(.jxl)) {
            try decode(data.prefix(data.count * 3 / 4), DecodeOptions(damage: .isRefused))
        }
    }

    @Test("sizes are checked against the limits before any memory is taken")
    func limits() throws {
        let data = try lossless(PixelSize(40, 30))
        #expect(throws: CodecError.limitExceeded(.jxl, .sideLength(PixelSize(40, 30), maximum: 39))) {
            try decode(data, DecodeOptions(limits: DecodeLimits(sideLength: 39)))
        }
        #expect(throws: CodecError.limitExceeded(.jxl, .pixelCount(PixelSize(40, 30), maximum: 1_199))) {
            try decode(data, DecodeOptions(limits: DecodeLimits(pixelCount: 1_199)))
        }
        // The bitmap, rows of 192 bytes, and libjxl's samples of three channels.
        #expect(throws: CodecError.limitExceeded(.jxl, .memory(192 * 30 + 14_400, maximum: 20_000))) {
            try decode(data, DecodeOptions(limits: DecodeLimits(memory: 20_000)))
        }
    }

    @Test("cancelling ends decoding at the next slice of bytes")
    func cancellation() throws {
        var random = SeededRandom(seed: 1)
        var noise = try Bitmap(size: PixelSize(160, 160), isOpaque: true)
        noise.withUnsafeMutableBytes { pixels in
            for index in pixels.indices {
                pixels[index] = index % 4 == 3 ? 255 : UInt8.random(in: 0...255, using: &random)
            }
        }
        let data = try JPEGXLEncoder().encode(noise, options: EncodeOptions(quality: nil))
        let questions = QuestionCounter(cancelledFrom: 3)
        #expect(throws: CancellationError.self) {
            try decoder.decode(data, options: DecodeOptions(), isCancelled: { questions.ask() })
        }
        #expect(questions.count == 3)
        #expect(try decode(data).bitmap.greatestDifference(from: noise) == 0)
    }

    @Test("random damage ends in an image or a typed error", arguments: [1, 2] as [UInt64])
    func randomDamage(_ seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let bitmap = try Bitmap.sample(PixelSize(40, 30), hasAlpha: true)
        let files = [
            try lossless(PixelSize(40, 30), hasAlpha: true), try animation(),
            try JPEGXLEncoder().encode(bitmap, options: EncodeOptions()),
        ]
        let limits = DecodeLimits(pixelCount: 1 << 16, memory: 8 << 20)
        for file in files {
            for round in 0..<60 {
                let damaged = random.damage(file)
                do {
                    _ = try decoder.info(of: damaged, limits: limits)
                    _ = try decode(damaged, DecodeOptions(frame: round % 2, limits: limits))
                } catch {
                    #expect(error is CodecError, "\(error)")
                }
            }
        }
    }
}
