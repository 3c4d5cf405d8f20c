import FoundationEssentials
import HalcyonRaster
import Testing

@testable import HalcyonCodecs

@Suite("AVIF animations")
struct AVIFAnimationTests {
    private let decoder = AVIFDecoder()

    private func frames(_ count: Int, hasAlpha: Bool = false) throws -> [AnimationFrame] {
        try (0..<count).map { index in
            let bitmap = try TestImages.bitmap(32, 24) { x, y in
                (index * 60 % 256, x * 8, y * 10, hasAlpha && x < 8 ? 0 : 255)
            }
            return AnimationFrame(bitmap: bitmap, duration: 40 + 10 * index)
        }
    }

    private func file(_ count: Int, loopCount: Int = 0, hasAlpha: Bool = false) throws -> Data {
        try QuickAVIFEncoder().encode(
            frames(count, hasAlpha: hasAlpha),
            loopCount: loopCount,
            options: EncodeOptions(quality: nil)
        )
    }

    @Test("frames, durations and loop count come back", arguments: [(0, false), (1, true), (7, false), (3, true)])
    func roundTrip(_ loopCount: Int, _ hasAlpha: Bool) throws {
        let frames = try frames(4, hasAlpha: hasAlpha)
        let data = try file(4, loopCount: loopCount, hasAlpha: hasAlpha)
        let info = try decoder.info(of: data, limits: .standard)
        #expect(info.frameCount == 4 && info.frameDurations == [40, 50, 60, 70])
        #expect(info.loopCount == loopCount && info.hasAlpha == hasAlpha)
        for (index, frame) in frames.enumerated() {
            let image = try decoder.decode(data, options: DecodeOptions(frame: index), isCancelled: { false })
            #expect(image.bitmap.greatestDifference(from: frame.bitmap) == 0 && image.info == info)
        }
        for index in [-1, 4] {
            #expect(throws: CodecError.noSuchFrame(index, frameCount: 4)) {
                try decoder.decode(data, options: DecodeOptions(frame: index), isCancelled: { false })
            }
        }
    }

    @Test("a cursor gives any frame in any order, and several may be open at a time")
    func cursor() throws {
        let frames = try frames(5)
        let data = try file(5)
        var cursor = try decoder.cursor(for: data, options: DecodeOptions())
        var other = try decoder.cursor(for: data, options: DecodeOptions())
        for index in [0, 1, 2, 4, 1, 3, 3, 0] {
            let bitmap = try cursor.bitmap(ofFrame: index, isCancelled: { false })
            #expect(bitmap.greatestDifference(from: frames[index].bitmap) == 0)
            let reversed = try other.bitmap(ofFrame: 4 - index, isCancelled: { false })
            #expect(reversed.greatestDifference(from: frames[4 - index].bitmap) == 0)
        }
        #expect(throws: CodecError.noSuchFrame(5, frameCount: 5)) {
            try cursor.bitmap(ofFrame: 5, isCancelled: { false })
        }
        #expect(throws: CancellationError.self) { try cursor.bitmap(ofFrame: 2, isCancelled: { true }) }
        #expect(try cursor.bitmap(ofFrame: 2, isCancelled: { false }).greatestDifference(from: frames[2].bitmap) == 0)
        #expect(throws: CodecError.empty) { _ = try decoder.cursor(for: Data(), options: DecodeOptions()) }
    }

    @Test("an animation of more frames than allowed is cut, and says so", arguments: [false, true])
    func frameLimit(hasAlpha: Bool) throws {
        let data = try file(4, hasAlpha: hasAlpha)
        let whole = try decoder.info(of: data, limits: DecodeLimits(frameCount: 4))
        #expect(whole.frameCount == 4 && whole.isFrameCountExact)
        for count in 1...3 {
            let limits = DecodeLimits(frameCount: count)
            let info = try decoder.info(of: data, limits: limits)
            #expect(info.frameCount == count && !info.isFrameCountExact && info.hasAlpha == hasAlpha)
            #expect(info.frameDurations == (count == 1 ? [] : Array(whole.frameDurations.prefix(count))))
            for index in 0..<count {
                let options = DecodeOptions(frame: index, limits: limits)
                let frame = try decoder.decode(data, options: options, isCancelled: { false })
                let expected = try decoder.decode(data, options: DecodeOptions(frame: index), isCancelled: { false })
                #expect(frame.bitmap.greatestDifference(from: expected.bitmap) == 0)
            }
            #expect(throws: CodecError.noSuchFrame(count, frameCount: count)) {
                try decoder.decode(data, options: DecodeOptions(frame: count, limits: limits), isCancelled: { false })
            }
        }
    }

    @Test("a frame far behind its key frame is cancelled between any two before it")
    func cancellation() throws {
        let data = try file(6)
        let all = QuestionCounter(cancelledFrom: .max)
        _ = try decoder.decode(data, options: DecodeOptions(frame: 5), isCancelled: all.ask)
        // One before each frame from the key frame on, one after the last, one after it is converted.
        #expect(all.count > 5)
        for question in 1...all.count {
            let counter = QuestionCounter(cancelledFrom: question)
            #expect(throws: CancellationError.self) {
                try decoder.decode(data, options: DecodeOptions(frame: 5), isCancelled: counter.ask)
            }
            #expect(counter.count == question)
        }
    }

    @Test("tables of millions of frames are cut before libavif reads them; what they say of times still counts")
    func longTables() throws {
        func table(_ type: String, _ numbers: [Int]) -> [UInt8] {
            HEIFFixture.fullBox(type, numbers.flatMap { HEIFFixture.number($0, 4) })
        }
        let times = table("stts", [1_000] + (1...1_000).flatMap { [1, $0] })
        let tables =
            times + table("stsc", [1, 1, 1_000_000, 1]) + table("stsz", [1, 1_000_000]) + table("stco", [1, 0])
        let handler = HEIFFixture.fullBox("hdlr", [0, 0, 0, 0] + Array("pict".utf8) + [UInt8](repeating: 0, count: 13))
        let media = HEIFFixture.box("mdia", handler + HEIFFixture.box("minf", HEIFFixture.box("stbl", tables)))
        let header = HEIFFixture.fullBox("tkhd", [UInt8](repeating: 0, count: 80))
        let file = Data(HEIFFixture.box("moov", HEIFFixture.box("trak", header + media)))
        let container = AVIFContainer(file, frameCount: 10)
        #expect(container.hasMoreFrames)
        let cut = AVIFBytes(container.data)
        // The place of the number that counts frames, chunks or times.
        for (type, offset, count) in [("stts", 12, 1), ("stsc", 20, 10), ("stsz", 16, 10), ("stco", 12, 1)] {
            let place = try cut.start(ofBox: "moov", "trak", "mdia", "minf", "stbl", type) + offset
            #expect(ByteReader(cut.data).uint32(at: place) == count, "\(type)")
        }
        #expect(container.track?.durations(frameCount: 3, ticksPerSecond: 1_000) == [1, 2, 3])
    }

    @Test("tracks that are neither images nor alpha do not count")
    func foreignTracks() throws {
        let data = try file(3, hasAlpha: true)
        var sound = AVIFBytes(data)
        let alpha = try sound.start(ofBox: "moov", "trak", skipping: 1)
        let handler = try #require(data[alpha...].firstRange(of: Data("auxv".utf8)))
        sound.set(Array("soun".utf8), at: handler.lowerBound)
        // Sound has no size: the last 8 bytes of its track header.
        let header = try #require(data[alpha...].firstRange(of: Data("tkhd".utf8)))
        sound.set([UInt8](repeating: 0, count: 8), at: header.lowerBound + 4 + 88)

        var depth = AVIFBytes(data)
        let type = try #require(data[alpha...].firstRange(of: Data("systems:auxiliary:alpha".utf8)))
        depth.set(Array("depth".utf8), at: type.upperBound - 5)

        for bytes in [sound, depth] {
            let image = try decoder.decode(bytes.data, options: DecodeOptions(frame: 2), isCancelled: { false })
            #expect(!image.info.hasAlpha && image.bitmap.isOpaque && image.info.frameCount == 3)
        }
    }

    @Test("an edit list without a repeat plays once, one whose track has no end for ever")
    func editLists() throws {
        let data = try file(2, loopCount: 5)
        var once = AVIFBytes(data)
        let list = try #require(data.firstRange(of: Data("elst".utf8))).lowerBound
        once.set([0], at: list + 7)
        #expect(try decoder.info(of: once.data, limits: .standard).loopCount == 1)

        var endless = AVIFBytes(data)
        let header = try #require(data.firstRange(of: Data("tkhd".utf8))).lowerBound
        endless.set([UInt8](repeating: 0xff, count: 8), at: header + 4 + 28)
        #expect(try decoder.info(of: endless.data, limits: .standard).loopCount == 0)
    }

    @Test("frames that the table of durations leaves out stay as long as the last it has")
    func shortTable() throws {
        var bytes = AVIFBytes(try file(4))
        let table = try #require(bytes.data.firstRange(of: Data("stts".utf8))).lowerBound
        // Entries of a count and a duration, behind the version and the number of entries.
        #expect(bytes.bytes[table + 4..<table + 20] == [0, 0, 0, 0, 0, 0, 0, 4, 0, 0, 0, 1, 0, 0, 0, 40])
        bytes.set([0, 0, 0, 3], at: table + 12)
        #expect(try decoder.info(of: bytes.data, limits: .standard).frameDurations == [40, 40, 40, 50])
        bytes.set([0xff, 0xff, 0xff, 0xff], at: table + 12)
        #expect(try decoder.info(of: bytes.data, limits: .standard).frameDurations == [40, 40, 40, 40])
        bytes.set([0, 0, 0, 1, 0, 0, 0, 1], at: table + 8)
        #expect(try decoder.info(of: bytes.data, limits: .standard).frameDurations == [40, 40, 40, 40])
    }

    @Test("frames of different sizes, or none, cannot be encoded")
    func wrongFrames() throws {
        let frames = [
            AnimationFrame(bitmap: try .sample(PixelSize(8, 8)), duration: 1),
            AnimationFrame(bitmap: try .sample(PixelSize(8, 9)), duration: 1),
        ]
        for frames in [frames, []] {
            #expect(throws: CodecError.self) {
                try QuickAVIFEncoder().encode(frames, loopCount: 0, options: EncodeOptions())
            }
        }
    }
}
