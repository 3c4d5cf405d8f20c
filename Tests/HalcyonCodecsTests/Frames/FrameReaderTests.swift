import FoundationEssentials
import HalcyonRaster
import Testing

@testable import HalcyonCodecs

@Suite("Reading animations frame by frame")
struct FrameReaderTests {
    /// An animation of eight frames in which every way of depending on other frames occurs.
    enum Animation: CaseIterable {
        case gif, png, webp

        var decoder: any ImageDecoder {
            switch self {
            case .gif: GIFDecoder()
            case .png: PNGDecoder()
            case .webp: WebPDecoder()
            }
        }

        func data() throws -> Data {
            switch self {
            case .gif: AnimationBytes.gif
            case .png: AnimationBytes.png
            case .webp: try AnimationBytes.webp()
            }
        }
    }

    private func pixels(_ image: DecodedImage) -> [UInt8] { image.bitmap.premultipliedBytes() }

    /// Each frame, composed from the first one on without any leap.
    private func sequence(_ animation: Animation) throws -> [[UInt8]] {
        let reader = try FrameReader(animation.data(), decoder: animation.decoder)
        var frames: [[UInt8]] = []
        while let frame = try reader.next() {
            frames.append(pixels(frame))
        }
        #expect(frames.count == reader.frameCount)
        return frames
    }

    @Test("the first frame follows the last", arguments: Animation.allCases)
    func wrapping(_ animation: Animation) throws {
        let reader = try FrameReader(animation.data(), decoder: animation.decoder)
        let first = try #require(try reader.next())
        for _ in 1..<reader.frameCount {
            #expect(try reader.next() != nil)
        }
        #expect(try reader.next() == nil)
        #expect(try reader.next().map(pixels) == pixels(first))
    }

    @Test("every frame is the same whatever was read before it", arguments: Animation.allCases)
    func randomAccess(_ animation: Animation) throws {
        let expected = try sequence(animation)
        let data = try animation.data()
        let reader = try FrameReader(data, decoder: animation.decoder)
        for from in expected.indices {
            for to in expected.indices {
                #expect(try pixels(reader.frame(at: from)) == expected[from], "\(animation), frame \(from)")
                #expect(try pixels(reader.frame(at: to)) == expected[to], "\(animation), from \(from) to \(to)")
            }
        }
        for index in expected.indices {
            let image = try animation.decoder.decode(data, options: DecodeOptions(frame: index)) { false }
            #expect(pixels(image) == expected[index])
        }
        // Frames differ, or these tests would see nothing.
        #expect(Set(expected).count > expected.count / 2)
    }

    @Test("bitmaps handed out stay as they are, and say truly whether they are opaque", arguments: Animation.allCases)
    func snapshots(_ animation: Animation) throws {
        let expected = try sequence(animation)
        let reader = try FrameReader(animation.data(), decoder: animation.decoder)
        let images = try expected.indices.map { try reader.frame(at: $0) }
        for index in expected.indices {
            #expect(pixels(images[index]) == expected[index])
            #expect(images[index].bitmap.isOpaque == !images[index].bitmap.containsTransparency())
        }
    }

    @Test("readers of one file do not disturb each other", arguments: Animation.allCases)
    func interleaved(_ animation: Animation) throws {
        let expected = try sequence(animation)
        let data = try animation.data()
        let readers = try (0..<3).map { _ in try FrameReader(data, decoder: animation.decoder) }
        for step in 0..<4 * expected.count {
            let (reader, index) = (step % 3, step * 5 % expected.count)
            #expect(try pixels(readers[reader].frame(at: index)) == expected[index])
        }
    }

    @Test("one reader serves several threads", arguments: Animation.allCases)
    func threads(_ animation: Animation) async throws {
        let expected = try sequence(animation)
        let reader = try FrameReader(animation.data(), decoder: animation.decoder)
        try await withThrowingTaskGroup(of: Bool.self) { group in
            for number in 0..<24 {
                group.addTask {
                    let index = number * 7 % expected.count
                    return try reader.frame(at: index).bitmap.premultipliedBytes() == expected[index]
                }
            }
            for try await isRight in group {
                #expect(isRight)
            }
        }
    }

    @Test("a cancelled frame can be read again", arguments: Animation.allCases)
    func cancellation(_ animation: Animation) throws {
        let expected = try sequence(animation)
        let reader = try FrameReader(animation.data(), decoder: animation.decoder)
        for cancelledFrom in 1..<6 {
            _ = try reader.frame(at: 7)
            let questions = QuestionCounter(cancelledFrom: cancelledFrom)
            do {
                let image = try reader.frame(at: 3) { questions.ask() }
                #expect(pixels(image) == expected[3])
                #expect(questions.count < cancelledFrom)
            } catch {
                #expect(error is CancellationError)
                #expect(questions.count == cancelledFrom)
            }
            #expect(try pixels(reader.frame(at: 3)) == expected[3])
            #expect(try pixels(reader.frame(at: 4)) == expected[4])
        }
    }

    @Test("frames that do not exist are named", arguments: Animation.allCases)
    func noSuchFrame(_ animation: Animation) throws {
        let reader = try FrameReader(animation.data(), decoder: animation.decoder)
        for index in [-1, 8, .max, .min] {
            #expect(throws: CodecError.noSuchFrame(index, frameCount: 8)) { try reader.frame(at: index) }
        }
    }

    @Test("too many pixels or bytes are refused when the file is opened", arguments: Animation.allCases)
    func limits(_ animation: Animation) throws {
        let data = try animation.data()
        let open = { (limits: DecodeLimits) in
            try FrameReader(data, decoder: animation.decoder, options: DecodeOptions(limits: limits))
        }
        let format = animation.decoder.format
        #expect(throws: CodecError.limitExceeded(format, .pixelCount(PixelSize(8, 4), maximum: 31))) {
            try open(DecodeLimits(pixelCount: 31))
        }
        #expect(throws: CodecError.self) { try open(DecodeLimits(memory: 255)).frame(at: 0) }
    }

    @Test("what a damaged file shows in a frame does not depend on what was read before", arguments: Animation.allCases)
    func damage(_ animation: Animation) throws {
        let data = try animation.data()
        let options = DecodeOptions(limits: DecodeLimits(pixelCount: 4_096, memory: 1 << 20))
        var random = SeededRandom(seed: 11)
        for round in 0..<200 {
            let damaged = random.damage(data)
            guard let reader = try? FrameReader(damaged, decoder: animation.decoder, options: options) else {
                continue
            }
            let read = { (reader: FrameReader, index: Int) -> [UInt8]? in
                do {
                    return try pixels(reader.frame(at: index))
                } catch {
                    #expect(error is CodecError, "\(error)")
                    return nil
                }
            }
            for _ in 0..<reader.frameCount {
                let index = random.next(below: reader.frameCount)
                let fresh = try FrameReader(damaged, decoder: animation.decoder, options: options)
                #expect(read(reader, index) == read(fresh, index), "round \(round), frame \(index)")
            }
        }
    }

    @Test("a still image is one frame for ever")
    func still() throws {
        let bitmap = try TestImages.photo(20, 10)
        for encoder in [PNGEncoder(), JPEGEncoder(), WebPEncoder(), GIFEncoder()] as [any ImageEncoder] {
            let data = try encoder.encode(bitmap, options: EncodeOptions())
            let reader = try ImageCodecs.all.frames(of: data)
            #expect(reader.frameCount == 1 && reader.loopCount == nil)
            #expect(reader.duration(ofFrame: 0) == nil && reader.totalDuration == nil)
            #expect(try reader.frame(at: 0).size == bitmap.size)
            #expect(throws: CodecError.noSuchFrame(1, frameCount: 1)) { try reader.frame(at: 1) }
        }
    }

    @Test("durations above 10 ms hold as stored, others are 100 ms")
    func durations() throws {
        let image = GIFBytes.image(0, 0, 1, 1, [0])
        let frames = [0, 1, 2, 5, 100].flatMap { GIFBytes.control(delay: $0) + image }
        let reader = try ImageCodecs.all.frames(of: GIFBytes.file(GIFBytes.header(1, 1), GIFBytes.loop(3), frames))
        let durations = (0..<5).map { reader.duration(ofFrame: $0) }
        #expect(
            durations == [.milliseconds(100), .milliseconds(100), .milliseconds(20), .milliseconds(50), .seconds(1)]
        )
        #expect(reader.totalDuration == .milliseconds(1_270))
        #expect(reader.loopCount == 4)
        #expect(reader.duration(ofFrame: 5) == .milliseconds(100))
        // Other formats have single milliseconds.
        var info = ImageInfo(format: .png, size: PixelSize(1, 1), frameCount: 3)
        info.frameDurations = [10, 11, 12]
        let shown = (0..<3).map { info.duration(ofFrame: $0) }
        #expect(shown == [.milliseconds(100), .milliseconds(11), .milliseconds(12)])
    }
}
