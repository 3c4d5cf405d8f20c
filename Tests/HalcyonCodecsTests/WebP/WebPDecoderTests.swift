import FoundationEssentials
import HalcyonRaster
import Testing

@testable import HalcyonCodecs

@Suite("WebP decoding")
struct WebPDecoderTests {
    private let decoder = WebPDecoder()

    private func decode(_ data: Data, frame: Int = 0, limits: DecodeLimits = .standard) throws -> DecodedImage {
        let options = DecodeOptions(frame: frame, limits: limits)
        return try decoder.decode(data, options: options, isCancelled: { false })
    }

    private func lossless(_ size: PixelSize, hasAlpha: Bool = false) throws -> Data {
        try WebPEncoder().encode(Bitmap.sample(size, hasAlpha: hasAlpha), options: EncodeOptions(quality: nil))
    }

    private func solid(_ color: Color, _ size: PixelSize) throws -> Data {
        var bitmap = try Bitmap(size: size)
        bitmap.fill(PixelRect(size: size), with: color)
        return WebPBytes.imageChunks(of: try WebPEncoder().encode(bitmap, options: EncodeOptions(quality: nil)))
    }

    @Test("lossless images come back as they were, premultiplied", arguments: [false, true])
    func lossless(_ hasAlpha: Bool) throws {
        let original = try Bitmap.sample(PixelSize(60, 41), hasAlpha: hasAlpha)
        let image = try decode(lossless(original.size, hasAlpha: hasAlpha))
        // Straight colours of small alpha are few, so that premultiplying them again may differ by a level.
        let difference = try #require(image.bitmap.greatestDifference(from: original))
        #expect(difference <= (hasAlpha ? 1 : 0))
        #expect(image.info.hasAlpha == hasAlpha && image.bitmap.isOpaque == !hasAlpha)
    }

    @Test("lossy images come back nearly as they were", arguments: [false, true])
    func lossy(_ hasAlpha: Bool) throws {
        let original = try Bitmap.sample(PixelSize(64, 48), hasAlpha: hasAlpha)
        let data = try WebPEncoder().encode(original, options: EncodeOptions(quality: 90))
        let image = try decode(data)
        let difference = try #require(image.bitmap.greatestDifference(from: original))
        #expect(difference < 24)
        #expect(image.info.hasAlpha == hasAlpha)
        let small = try WebPEncoder().encode(original, options: EncodeOptions(quality: 5))
        #expect(small.count < data.count)
    }

    @Test("the orientation and the colour profile of the extended format are read")
    func metadata() throws {
        let file = WebPBytes.file(
            WebPBytes.extendedHeader(flags: 0x28, width: 30, height: 20),
            WebPBytes.chunk("ICCP", ICCProfileBytes.version4([("en", "Display P3")])),
            WebPBytes.imageChunks(of: try lossless(PixelSize(30, 20))),
            WebPBytes.chunk("EXIF", EXIFBlock(orientation: 8).data)
        )
        let image = try decode(file)
        #expect(image.info.orientation == .left && image.info.size == PixelSize(30, 20))
        #expect(image.size == PixelSize(20, 30))
        #expect(image.info.colorSpace == .icc(description: "Display P3"))
        // Rotated counter-clockwise, the upper left comes from the upper right.
        #expect(try image.bitmap[0, 0] == Bitmap.sample(PixelSize(30, 20))[29, 0])
    }

    @Test("each frame of an animation is composed with those before it")
    func animation() throws {
        let (whole, half) = (PixelSize(8, 8), PixelSize(4, 4))
        let red = try solid(Color(red: 1, green: 0, blue: 0), whole)
        let blue = try solid(Color(red: 0, green: 0, blue: 1), half)
        let file = WebPBytes.file(
            WebPBytes.extendedHeader(flags: 0x12, width: 8, height: 8),
            WebPBytes.animation(loopCount: 3),
            WebPBytes.frame(red, x: 0, y: 0, width: 8, height: 8, duration: 70),
            WebPBytes.frame(blue, x: 4, y: 4, width: 4, height: 4, duration: 0, flags: 1),
            WebPBytes.frame(blue, x: 0, y: 0, width: 4, height: 4, duration: 16_000_000)
        )
        let info = try decoder.info(of: file, limits: .standard)
        #expect(info.frameCount == 3 && info.loopCount == 3 && info.frameDurations == [70, 0, 16_000_000])
        let (opaqueRed, opaqueBlue): ([UInt8], [UInt8]) = ([255, 0, 0, 255], [0, 0, 255, 255])
        let frames = try (0..<3).map { try decode(file, frame: $0).bitmap }
        #expect(frames.map { $0[1, 1] } == [opaqueRed, opaqueRed, opaqueBlue])
        // The second frame clears its corner after itself.
        #expect(frames.map { $0[6, 6] } == [opaqueRed, opaqueBlue, [0, 0, 0, 0]])
        #expect(frames.map(\.isOpaque) == [true, true, false])
        #expect(throws: CodecError.noSuchFrame(3, frameCount: 3)) { try decode(file, frame: 3) }
        #expect(throws: CodecError.noSuchFrame(-1, frameCount: 3)) { try decode(file, frame: -1) }
        #expect(throws: CodecError.limitExceeded(.webp, .frameCount(3, maximum: 2))) {
            try decoder.info(of: file, limits: DecodeLimits(frameCount: 2))
        }
        for length in 1..<file.count - 1 {
            // The frames that are all there can be read, the one that is cut cannot.
            let visibleCount = (try? decoder.info(of: file.prefix(length), limits: .standard))?.frameCount ?? 1
            for frame in 0..<visibleCount - 1 {
                #expect(
                    try decode(file.prefix(length), frame: frame).bitmap.greatestDifference(from: frames[frame]) == 0
                )
            }
            if let last = try? decode(file.prefix(length), frame: visibleCount - 1) {
                #expect(last.bitmap.greatestDifference(from: frames[visibleCount - 1]) == 0)
            } else {
                #expect(throws: CodecError.truncated(.webp), "cut at \(length)") {
                    try decode(file.prefix(length), frame: visibleCount - 1)
                }
            }
        }
        let questions = QuestionCounter(cancelledFrom: 2)
        #expect(throws: CancellationError.self) {
            try decoder.decode(file, options: DecodeOptions(frame: 2), isCancelled: { questions.ask() })
        }
    }

    @Test("the header of a still image is read from its first bytes")
    func prefixes() throws {
        for file in [
            try lossless(PixelSize(300, 200)),
            try WebPEncoder().encode(Bitmap.sample(PixelSize(300, 200)), options: EncodeOptions()),
        ] {
            #expect(try decoder.info(of: file.prefix(40), limits: .standard).size == PixelSize(300, 200))
            for length in 1...20 {
                #expect(throws: CodecError.truncated(.webp)) {
                    try decoder.info(of: file.prefix(length), limits: .standard)
                }
            }
        }
    }

    @Test("a still image cut at any byte is truncated", arguments: [nil, 80])
    func truncation(_ quality: Int?) throws {
        for hasAlpha in [false, true] {
            let bitmap = try Bitmap.sample(PixelSize(33, 21), hasAlpha: hasAlpha)
            let file = try WebPEncoder().encode(bitmap, options: EncodeOptions(quality: quality))
            // The last bytes may be padding.
            for length in 1..<file.count - 8 {
                #expect(throws: CodecError.truncated(.webp), "cut at \(length) of \(file.count)") {
                    try decode(file.prefix(length))
                }
            }
            _ = try decode(file)
        }
    }

    @Test("forged sizes are refused before any memory is taken")
    func forgedSizes() throws {
        let image = WebPBytes.imageChunks(of: try lossless(PixelSize(4, 4)))
        let size = PixelSize(1 << 24, 1 << 24)
        let file = WebPBytes.file(WebPBytes.extendedHeader(flags: 0, width: 1 << 24, height: 1 << 24), image)
        #expect(throws: CodecError.limitExceeded(.webp, .pixelCount(size, maximum: 1 << 28))) { try decode(file) }
        let animated = WebPBytes.file(
            WebPBytes.extendedHeader(flags: 2, width: 16_000, height: 16_000),
            WebPBytes.animation(loopCount: 0),
            WebPBytes.frame(image, x: 0, y: 0, width: 4, height: 4, duration: 1)
        )
        let needed = CodecError.limitExceeded(.webp, .memory(2 * 16_000 * 64_000, maximum: 3 << 29))
        #expect(throws: needed) { try decode(animated) }
        // libwebp compares the canvas with the image itself.
        #expect(throws: CodecError.self) {
            try decode(WebPBytes.file(WebPBytes.extendedHeader(flags: 0, width: 5, height: 4), image))
        }
    }

    @Test("cancelling ends decoding at the next slice of bytes")
    func cancellation() throws {
        var random = SeededRandom(seed: 1)
        var noise = try Bitmap(size: PixelSize(200, 200), isOpaque: true)
        noise.withUnsafeMutableBytes { pixels in
            for index in pixels.indices {
                pixels[index] = index % 4 == 3 ? 255 : UInt8.random(in: 0...255, using: &random)
            }
        }
        let file = try WebPEncoder().encode(noise, options: EncodeOptions(quality: nil))
        let questions = QuestionCounter(cancelledFrom: 3)
        #expect(throws: CancellationError.self) {
            try decoder.decode(file, options: DecodeOptions(), isCancelled: { questions.ask() })
        }
        #expect(questions.count == 3)
        #expect(try decode(file).bitmap.greatestDifference(from: noise) == 0)
    }

    @Test("random damage ends in an image or a typed error", arguments: [1, 2, 3, 4] as [UInt64])
    func randomDamage(_ seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let image = WebPBytes.imageChunks(of: try lossless(PixelSize(16, 12), hasAlpha: true))
        let files = [
            try lossless(PixelSize(40, 30), hasAlpha: true),
            try WebPEncoder().encode(Bitmap.sample(PixelSize(40, 30), hasAlpha: true), options: EncodeOptions()),
            WebPBytes.file(
                WebPBytes.extendedHeader(flags: 0x1a, width: 16, height: 12),
                WebPBytes.animation(loopCount: 0),
                WebPBytes.frame(image, x: 0, y: 0, width: 16, height: 12, duration: 10),
                WebPBytes.frame(image, x: 0, y: 0, width: 16, height: 12, duration: 10),
                WebPBytes.chunk("EXIF", EXIFBlock(orientation: 3).data)
            ),
        ]
        let limits = DecodeLimits(pixelCount: 1 << 18, memory: 8 << 20)
        for file in files {
            for round in 0..<400 {
                let damaged = random.damage(file)
                do {
                    _ = try decoder.info(of: damaged, limits: limits)
                    _ = try decode(damaged, frame: round % 2, limits: limits)
                } catch {
                    #expect(error is CodecError, "\(error)")
                }
            }
        }
    }
}
