import FoundationEssentials
import HalcyonRaster
import Testing

@testable import HalcyonCodecs

@Suite("WebP decoding")
struct WebPDecoderTests {
    private let decoder = WebPDecoder()

    private func decode(
        _ data: Data,
        frame: Int = 0,
        limits: DecodeLimits = .standard,
        damage: DamageHandling = .showsWhatIsThere
    ) throws -> DecodedImage {
        let options = DecodeOptions(frame: frame, limits: limits, damage: damage)
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
        for length in 1..<file.count - 1 {
            // The frames that are all there can be read, the one that is cut cannot.
            let visibleCount = (try? decoder.info(of: file.prefix(length), limits: .standard))?.frameCount ?? 1
            for frame in 0..<visibleCount - 1 {
                #expect(
                    try decode(file.prefix(length), frame: frame).bitmap.greatestDifference(from: frames[frame]) == 0
                )
            }
            if let last = try? decode(file.prefix(length), frame: visibleCount - 1, damage: .isRefused) {
                #expect(last.bitmap.greatestDifference(from: frames[visibleCount - 1]) == 0 && !last.isPartial)
            } else {
                #expect(throws: CodecError.truncated(.webp), "cut at \(length)") {
                    try decode(file.prefix(length), frame: visibleCount - 1, damage: .isRefused)
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

    @Test("a still image cut at any byte shows the rows that are there, or is truncated", arguments: [nil, 80])
    func truncation(_ quality: Int?) throws {
        for hasAlpha in [false, true] {
            let bitmap = try Bitmap.sample(PixelSize(33, 81), hasAlpha: hasAlpha)
            let file = try WebPEncoder().encode(bitmap, options: EncodeOptions(quality: quality))
            let whole = try decode(file)
            #expect(!whole.isPartial)
            var partialCount = 0
            // The last bytes may be padding.
            for length in 1..<file.count - 8 {
                #expect(throws: CodecError.truncated(.webp), "cut at \(length) of \(file.count)") {
                    try decode(file.prefix(length), damage: .isRefused)
                }
                do {
                    let image = try decode(file.prefix(length))
                    guard image.isPartial else {
                        // The bytes that are missing say nothing of the pixels.
                        #expect(image.bitmap.greatestDifference(from: whole.bitmap) == 0)
                        continue
                    }
                    partialCount += 1
                    #expect(!image.bitmap.isOpaque && !rows(image.bitmap)[0].allSatisfy { $0 == 0 })
                    let firstMissing = rows(image.bitmap).firstIndex { $0.allSatisfy { $0 == 0 } } ?? 81
                    #expect(rows(image.bitmap)[..<firstMissing] == rows(whole.bitmap)[..<firstMissing])
                    #expect(rows(image.bitmap)[firstMissing...].allSatisfy { $0.allSatisfy { $0 == 0 } })
                } catch {
                    #expect(error as? CodecError == .truncated(.webp), "cut at \(length) of \(file.count)")
                }
            }
            #expect(partialCount > 0)
        }
    }

    private func rows(_ bitmap: Bitmap) -> [[UInt8]] {
        let (bytesPerRow, byteCount) = (bitmap.bytesPerRow, bitmap.width * bitmap.bytesPerPixel)
        return bitmap.withUnsafeBytes { pixels in
            (0..<bitmap.height).map { Array(pixels[$0 * bytesPerRow..<$0 * bytesPerRow + byteCount]) }
        }
    }

    @Test("a frame that is cut short shows its rows on those of the frame before")
    func partialFrame() throws {
        let size = PixelSize(48, 64)
        let red = try solid(Color(red: 1, green: 0, blue: 0), size)
        let photo = try WebPEncoder().encode(TestImages.photo(48, 64), options: EncodeOptions(quality: 90))
        let file = WebPBytes.file(
            WebPBytes.extendedHeader(flags: 2, width: 48, height: 64),
            WebPBytes.animation(loopCount: 0),
            WebPBytes.frame(red, x: 0, y: 0, width: 48, height: 64, duration: 70),
            WebPBytes.frame(WebPBytes.imageChunks(of: photo), x: 0, y: 0, width: 48, height: 64, duration: 70)
        )
        let cut = file.dropLast(photo.count / 3)
        #expect(try decoder.info(of: cut, limits: .standard).frameCount == 2)
        #expect(try !decode(cut).isPartial)
        let image = try decode(cut, frame: 1)
        #expect(image.isPartial && image.bitmap.isOpaque)
        #expect(image.bitmap[5, 2] == (try decode(photo).bitmap[5, 2]))
        #expect(image.bitmap[5, 63] == [255, 0, 0, 255])
        #expect(throws: CodecError.truncated(.webp)) { try decode(cut, frame: 1, damage: .isRefused) }
        var cursor = try decoder.cursor(for: cut, options: DecodeOptions())
        #expect(try cursor.bitmap(ofFrame: 1, isCancelled: { false })[5, 63] == [255, 0, 0, 255])
    }

    @Test("frames beyond the limit are left out, and the header says that there are more")
    func tooManyFrames() throws {
        let frames = try (0..<5).map { number in
            let image = try solid(Color(red: Double(number) / 4, green: 0, blue: 0), PixelSize(2, 2))
            return WebPBytes.frame(image, x: 0, y: 0, width: 2, height: 2, duration: 40)
        }
        let file = WebPBytes.file(
            WebPBytes.extendedHeader(flags: 0xa, width: 2, height: 2),
            WebPBytes.animation(loopCount: 0),
            frames.reduce(Data(), +),
            WebPBytes.chunk("EXIF", EXIFBlock(orientation: 3).data)
        )
        let limits = DecodeLimits(frameCount: 3)
        let info = try decoder.info(of: file, limits: limits)
        #expect(info.frameCount == 3 && info.frameDurations.count == 3 && !info.isFrameCountExact)
        #expect(info.orientation == .down)
        #expect(try decode(file, frame: 2, limits: limits).bitmap[0, 0] == [128, 0, 0, 255])
        #expect(throws: CodecError.noSuchFrame(3, frameCount: 3)) { try decode(file, frame: 3, limits: limits) }
        #expect(try decoder.info(of: file, limits: .standard).isFrameCountExact)
    }

    @Test("of a file of very many chunks no more are looked at than the longest animation needs")
    func tooManyChunks() throws {
        let frame = WebPBytes.frame(
            try solid(Color(red: 1, green: 0, blue: 0), PixelSize(2, 2)),
            x: 0,
            y: 0,
            width: 2,
            height: 2,
            duration: 40
        )
        let empty = WebPBytes.chunk("none", Data())
        let empties = Data([Data](repeating: empty, count: 70_000).joined())
        let file = WebPBytes.file(
            WebPBytes.extendedHeader(flags: 2, width: 2, height: 2),
            WebPBytes.animation(loopCount: 0),
            frame,
            empties,
            frame
        )
        let info = try decoder.info(of: file, limits: .standard)
        #expect(info.frameCount == 1 && !info.isFrameCountExact)
        #expect(try decode(file).bitmap[1, 1] == [255, 0, 0, 255])
        let still = WebPBytes.file(WebPBytes.extendedHeader(flags: 0, width: 2, height: 2), empties, frame)
        #expect(throws: CodecError.corrupt(.webp, reason: "there is no image")) { try decode(still) }
    }

    /// The payload of a frame: a raw stream of 1 × 16 pixels, which libwebp decodes without any chunk around it, and a
    /// chunk. A walk along chunks takes the stream for one that is not known, and skips it.
    private func payload(hiding chunk: Data) throws -> Data {
        let file = try WebPEncoder().encode(TestImages.photo(1, 16), options: EncodeOptions(quality: 80))
        let stream = Data(WebPBytes.imageChunks(of: file).dropFirst(8))
        let skipped = stream[4..<8].reversed().reduce(0) { $0 << 8 | Int($1) }
        return stream + Data(count: 8 + skipped + skipped % 2 - stream.count) + chunk
    }

    @Test("a frame is decoded from the chunk that was measured, whatever else its data look like")
    func hiddenStream() throws {
        let bitmap = try Bitmap.sample(PixelSize(40, 30))
        let chunk = WebPBytes.imageChunks(of: try lossless(bitmap.size))
        let empty = WebPBytes.chunk("VP8 ", Data([0x10, 1, 0, 0x9d, 1, 0x2a, 40, 0, 30, 0]))
        let files = try [chunk, empty].map { chunk in
            WebPBytes.file(
                WebPBytes.extendedHeader(flags: 2, width: 40, height: 30),
                WebPBytes.animation(loopCount: 0),
                WebPBytes.frame(try payload(hiding: chunk), x: 0, y: 0, width: 40, height: 30, duration: 1, flags: 2)
            )
        }
        #expect(try decode(files[0]).bitmap.greatestDifference(from: bitmap) == 0)
        #expect(throws: CodecError.self) { try decode(files[1]) }
    }

    @Test("a size of the whole file that is too large or too small is no reason to refuse it")
    func wrongFileSize() throws {
        let file = try lossless(PixelSize(33, 81))
        let whole = try decode(file).bitmap
        for size in [40, file.count / 2, file.count - 7, file.count + 1_000, Int(UInt32.max)] {
            var changed = file
            changed.replaceSubrange(4..<8, with: (0..<4).map { UInt8(truncatingIfNeeded: size >> ($0 * 8)) })
            let image = try decode(changed)
            #expect(image.bitmap.greatestDifference(from: whole) == 0 && !image.isPartial, "\(size)")
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
