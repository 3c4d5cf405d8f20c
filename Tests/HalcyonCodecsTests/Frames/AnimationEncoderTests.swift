import FoundationEssentials
import HalcyonRaster
import HalcyonSystem
import Testing

@testable import HalcyonCodecs

@Suite("Encoding animations")
struct AnimationEncoderTests {
    private let codecs = ImageCodecs.all

    /// A disc that moves over a ground of few colours; with alpha, over nothing.
    private func frames(_ count: Int, hasAlpha: Bool = false, duration: (Int) -> Int = { 40 + 10 * $0 }) throws
        -> [AnimationFrame]
    {
        try (0..<count).map { number in
            let bitmap = try TestImages.bitmap(48, 32) { x, y in
                let (dx, dy) = (x - 8 - 5 * number, y - 16)
                if dx * dx + dy * dy < 36 {
                    return (250, 40 * number % 256, 60, 255)
                }
                return hasAlpha ? (0, 0, 0, 0) : (x / 8 * 20, y / 8 * 30, 90, 255)
            }
            return AnimationFrame(bitmap: bitmap, duration: duration(number))
        }
    }

    @Test(
        "frames, durations and loop counts come back exactly",
        arguments: [ImageFormat.gif, .png, .webp],
        [false, true]
    )
    func roundTrip(_ format: ImageFormat, hasAlpha: Bool) throws {
        let frames = try frames(6, hasAlpha: hasAlpha)
        for loopCount in [0, 1, 2, 65_535] {
            let data = try codecs.encode(
                frames,
                as: format,
                loopCount: loopCount,
                options: EncodeOptions(quality: nil)
            )
            let reader = try codecs.frames(of: data)
            #expect(reader.info.format == format && reader.loopCount == loopCount)
            #expect(reader.info.frameDurations == frames.map(\.duration))
            for (number, frame) in frames.enumerated() {
                #expect(try reader.frame(at: number).bitmap.greatestDifference(from: frame.bitmap) == 0)
            }
        }
    }

    @Test("partial alpha comes back in the formats that have it", arguments: [ImageFormat.png, .webp])
    func partialAlpha(_ format: ImageFormat) throws {
        var frames = try frames(3)
        frames[1].bitmap = try TestImages.translucent(48, 32)
        let reader = try codecs.frames(of: codecs.encode(frames, as: format, options: EncodeOptions(quality: nil)))
        for (number, frame) in frames.enumerated() {
            // Straight colours of small alpha are few, so that premultiplying them again may differ by a level.
            let difference = try #require(
                try reader.frame(at: number).bitmap.greatestDifference(from: frame.bitmap)
            )
            #expect(difference <= 1)
        }
    }

    @Test("lossy WebP comes back nearly as it was, and smaller at a lower quality")
    func lossy() throws {
        let frames = try frames(5)
        let data = try codecs.encode(frames, as: .webp, options: EncodeOptions(quality: 90))
        #expect(try data.count > codecs.encode(frames, as: .webp, options: EncodeOptions(quality: 10)).count)
        let reader = try codecs.frames(of: data)
        #expect(reader.frameCount == 5)
        for (number, frame) in frames.enumerated() {
            let result = try reader.frame(at: number).bitmap.premultipliedBytes()
            let expected = frame.bitmap.premultipliedBytes()
            let sum = zip(result, expected).reduce(0) { $0 + abs(Int($1.0) - Int($1.1)) }
            #expect(sum / expected.count < 8, "frame \(number)")
        }
    }

    @Test("only what changes is stored", arguments: [ImageFormat.gif, .png])
    func differences(_ format: ImageFormat) throws {
        let still = try AnimationFrame(bitmap: TestImages.photo(128, 128), duration: 50)
        var changed = still
        changed.bitmap[100, 70] = [1, 2, 3, 255]
        let one = try codecs.encode([still], as: format)
        let many = try codecs.encode([still, changed, changed, still, changed], as: format)
        #expect(many.count < one.count + 4_000)
        #expect(try codecs.info(of: many).frameCount == 5)
    }

    /// The values of blend_op in a file's fcTL chunks.
    private func blendings(_ data: Data) -> [UInt8] {
        let bytes = Array(data)
        let name = Array("fcTL".utf8)
        return bytes.indices.filter { bytes[$0...].starts(with: name) }.map { bytes[$0 + 4 + 25] }
    }

    @Test("PNG lays frames over each other where that is smaller", arguments: [false, true])
    func overlays(hasAlpha: Bool) throws {
        let ground = try TestImages.photo(96, 96)
        let frames = (0..<3).map { number in
            var bitmap = ground
            if hasAlpha {
                bitmap[1, 1] = [0, 0, 0, 0]
                bitmap.isOpaque = false
            }
            // Two corners change, so that the rectangle is nearly all of a ground that does not compress.
            for offset in 0..<4 * number {
                bitmap[3 + offset, 3] = [250, 40, 60, 255]
                bitmap[92 - offset, 92] = [10, 240, 60, 255]
            }
            return AnimationFrame(bitmap: bitmap, duration: 50)
        }
        let data = try codecs.encode(frames, as: .png)
        #expect(blendings(data) == [0, 1, 1])
        #expect(try data.count < codecs.encode([frames[0]], as: .png).count * 3 / 2)
        let reader = try codecs.frames(of: data)
        for (number, frame) in frames.enumerated() {
            #expect(try reader.frame(at: number).bitmap.greatestDifference(from: frame.bitmap) == 0)
        }
    }

    @Test("PNG replaces pixels that an overlay would show through")
    func replacements() throws {
        let opaque = try TestImages.photo(64, 64)
        var translucent = opaque
        translucent[0, 0] = [20, 20, 20, 128]
        translucent[63, 63] = [0, 0, 0, 0]
        translucent.isOpaque = false
        let frames = [opaque, translucent, opaque].map { AnimationFrame(bitmap: $0, duration: 50) }
        let data = try codecs.encode(frames, as: .png)
        #expect(blendings(data) == [0, 0, 1])
        let reader = try codecs.frames(of: data)
        for (number, frame) in frames.enumerated() {
            let difference = try #require(try reader.frame(at: number).bitmap.greatestDifference(from: frame.bitmap))
            #expect(difference <= 1)
        }
    }

    @Test("the same image again makes WebP's frame stay longer")
    func merging() throws {
        let frame = try AnimationFrame(bitmap: TestImages.photo(20, 20), duration: 50)
        let other = try AnimationFrame(bitmap: TestImages.translucent(20, 20), duration: 70)
        let info = try codecs.info(of: codecs.encode([frame, frame, other], as: .webp))
        #expect(info.frameDurations == [100, 70])
    }

    @Test("long durations are rounded as the formats need", arguments: [ImageFormat.gif, .png, .webp])
    func longDurations(_ format: ImageFormat) throws {
        let durations = [65_535, 70_004, 700_400, 0]
        let frames = try frames(4) { durations[$0] }
        let expected: [ImageFormat: [Int]] = [
            .gif: [65_540, 70_000, 655_350, 0], .png: [65_535, 70_000, 700_000, 0], .webp: durations,
        ]
        #expect(try codecs.info(of: codecs.encode(frames, as: format)).frameDurations == expected[format])
    }

    @Test("encoding asks before each frame whether it is cancelled, and ends there")
    func cancellation() throws {
        let frames = try frames(10)
        for format in codecs.encoders.filter({ $0 is any AnimationEncoder }).map(\.format) {
            let asked = Lock(0)
            #expect(throws: CancellationError.self, "\(format)") {
                try codecs.encode(frames, as: format) {
                    asked.withLock { count in
                        count += 1
                        return count == 4
                    }
                }
            }
            #expect(asked.withLock { $0 } == 4, "\(format)")
        }
    }

    @Test("no frame, frames of two sizes, and formats without animation are refused")
    func refused() throws {
        for format in [ImageFormat.gif, .png, .webp] {
            #expect(throws: CodecError.cannotEncode(format, reason: "there is no frame")) {
                try codecs.encode([AnimationFrame](), as: format)
            }
            let frames = try [PixelSize(4, 4), PixelSize(4, 5)].map { size in
                AnimationFrame(bitmap: try Bitmap(size: size), duration: 10)
            }
            let reason = "frame 1 has 4×5 pixels, the first one 4×4"
            #expect(throws: CodecError.cannotEncode(format, reason: reason)) {
                try codecs.encode(frames, as: format)
            }
        }
        #expect(throws: CodecError.unsupported(.jpeg, reason: "its encoder writes still images only")) {
            try codecs.encode(try frames(2), as: .jpeg)
        }
    }
}
