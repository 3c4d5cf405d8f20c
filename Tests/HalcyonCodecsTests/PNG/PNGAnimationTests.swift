import FoundationEssentials
import HalcyonRaster
import Testing

@testable import HalcyonCodecs

@Suite("PNG decoder, animations")
struct PNGAnimationTests {
    private struct Frame {
        var rows: [UInt8]
        var area = (left: 0, top: 0, width: 2, height: 1)
        var delay = (numerator: 1, denominator: 10)
        var disposal: UInt8 = 0
        var blending: UInt8 = 0
    }

    private static let red: [UInt8] = [255, 0, 0, 255]
    private static let green: [UInt8] = [0, 255, 0, 255]
    private static let blue: [UInt8] = [0, 0, 255, 255]
    private static let none: [UInt8] = [0, 0, 0, 0]

    /// A file of 2 × 1 pixels.
    private func file(_ frames: [Frame], stillImage: [UInt8]? = nil, promised: Int? = nil, plays: Int = 0) -> Data {
        var sequence = -1
        func next() -> [UInt8] {
            sequence += 1
            return PNGBytes.number(sequence)
        }
        var chunks = [
            PNGBytes.header(2, 1, colorType: 6),
            PNGBytes.chunk("acTL", PNGBytes.number(promised ?? frames.count) + PNGBytes.number(plays)),
        ]
        if let stillImage {
            chunks.append(PNGBytes.chunk("IDAT", PNGBytes.stored(stillImage)))
        }
        for (index, frame) in frames.enumerated() {
            let control =
                [frame.area.width, frame.area.height, frame.area.left, frame.area.top].flatMap(PNGBytes.number)
                + [frame.delay.numerator, frame.delay.denominator].flatMap { [UInt8($0 >> 8), UInt8($0 & 255)] }
                + [frame.disposal, frame.blending]
            chunks.append(PNGBytes.chunk("fcTL", next() + control))
            let stream = PNGBytes.stored(frame.rows)
            let isImage = index == 0 && stillImage == nil
            chunks.append(isImage ? PNGBytes.chunk("IDAT", stream) : PNGBytes.chunk("fdAT", next() + stream))
        }
        return PNGBytes.file(chunks + [PNGBytes.end])
    }

    private func pixels(_ data: Data, frame: Int) throws -> [UInt8] {
        try PNGDecoder().decode(data, options: DecodeOptions(frame: frame), isCancelled: { false })
            .bitmap.premultipliedBytes()
    }

    private func row(_ pixels: [UInt8]...) -> [UInt8] { [0] + pixels.flatMap { $0 } }

    @Test("frames are placed, blended over or in place of what is there, and stay")
    func composition() throws {
        let half: [UInt8] = [0, 0, 255, 128]
        let data = file([
            Frame(rows: row(PNGAnimationTests.red, PNGAnimationTests.red)),
            Frame(rows: row(half), area: (1, 0, 1, 1), blending: 1),
            Frame(rows: row(half), area: (0, 0, 1, 1), blending: 0),
        ])
        #expect(try pixels(data, frame: 0) == PNGAnimationTests.red + PNGAnimationTests.red)
        #expect(try pixels(data, frame: 1) == PNGAnimationTests.red + [127, 0, 128, 255])
        #expect(try pixels(data, frame: 2) == [0, 0, 128, 128, 127, 0, 128, 255])
    }

    @Test("a frame is disposed of before the next one: kept, cleared, or undone")
    func disposal() throws {
        let data = file([
            Frame(rows: row(PNGAnimationTests.red, PNGAnimationTests.red)),
            Frame(rows: row(PNGAnimationTests.green), area: (0, 0, 1, 1), disposal: 2),
            Frame(rows: row(PNGAnimationTests.blue), area: (1, 0, 1, 1), disposal: 1),
            Frame(rows: row(PNGAnimationTests.none), area: (0, 0, 1, 1), blending: 1),
        ])
        #expect(try pixels(data, frame: 1) == PNGAnimationTests.green + PNGAnimationTests.red)
        #expect(try pixels(data, frame: 2) == PNGAnimationTests.red + PNGAnimationTests.blue)
        #expect(try pixels(data, frame: 3) == PNGAnimationTests.red + PNGAnimationTests.none)
    }

    @Test("undoing a first frame that has nothing before it clears it")
    func undoFirst() throws {
        let data = file([
            Frame(rows: row(PNGAnimationTests.red, PNGAnimationTests.red), disposal: 2),
            Frame(rows: row(PNGAnimationTests.blue), area: (1, 0, 1, 1)),
        ])
        #expect(try pixels(data, frame: 1) == PNGAnimationTests.none + PNGAnimationTests.blue)
    }

    @Test("the header tells frames, durations and plays; a denominator of 0 means hundredths")
    func timing() throws {
        let rows = row(PNGAnimationTests.red, PNGAnimationTests.red)
        let data = file(
            [
                Frame(rows: rows, delay: (1, 24)), Frame(rows: rows, delay: (3, 0)), Frame(rows: rows, delay: (0, 5)),
            ],
            plays: 7
        )
        let info = try PNGDecoder().info(of: data, limits: .standard)
        #expect(info.frameCount == 3)
        #expect(info.frameDurations == [42, 30, 0])
        #expect(info.loopCount == 7)
    }

    @Test("a default image outside the animation is frame 0 of a still decode, and not counted")
    func separateStill() throws {
        let data = file(
            [
                Frame(rows: row(PNGAnimationTests.red, PNGAnimationTests.red)),
                Frame(rows: row(PNGAnimationTests.blue), area: (1, 0, 1, 1)),
            ],
            stillImage: row(PNGAnimationTests.green, PNGAnimationTests.green)
        )
        #expect(try PNGDecoder().info(of: data, limits: .standard).frameCount == 2)
        #expect(try pixels(data, frame: 0) == PNGAnimationTests.green + PNGAnimationTests.green)
        #expect(try pixels(data, frame: 1) == PNGAnimationTests.red + PNGAnimationTests.blue)
        var options = DecodeOptions()
        options.readsAnimation = true
        let first = try PNGDecoder().decode(data, options: options, isCancelled: { false })
        #expect(first.bitmap.premultipliedBytes() == PNGAnimationTests.red + PNGAnimationTests.red)
        #expect(throws: CodecError.self) {
            try PNGDecoder().incrementalReader(for: data.dropLast(60), options: options)
        }
        _ = try PNGDecoder().incrementalReader(for: data, options: DecodeOptions())
    }

    @Test("frames that are none leave the image outside the animation", arguments: [true, false])
    func separateStillAlone(readsAnimation: Bool) throws {
        let broken = Frame(rows: row(PNGAnimationTests.red), area: (9, 9, 1, 1))
        let data = file([broken], stillImage: row(PNGAnimationTests.green, PNGAnimationTests.green))
        var options = DecodeOptions()
        options.readsAnimation = readsAnimation
        let image = try PNGDecoder().decode(data, options: options, isCancelled: { false })
        #expect(image.bitmap.premultipliedBytes() == PNGAnimationTests.green + PNGAnimationTests.green)
    }

    @Test("a frame that is not there, or a negative one, is an error of its own", arguments: [-1, 1, Int.max, Int.min])
    func noSuchFrame(frame: Int) throws {
        let data = file([Frame(rows: row(PNGAnimationTests.red, PNGAnimationTests.red))])
        #expect(throws: CodecError.noSuchFrame(frame, frameCount: 1)) { try pixels(data, frame: frame) }
    }

    @Test("a frame beyond the canvas or without data ends the animation before it")
    func brokenFrames() throws {
        let good = Frame(rows: row(PNGAnimationTests.red, PNGAnimationTests.red))
        for area in [(1, 0, 2, 1), (0, 0, 0, 1), (Int(UInt32.max), 0, 1, 1), (0, 1, 1, 1)] {
            let data = file([good, Frame(rows: row(PNGAnimationTests.red), area: area)])
            #expect(try PNGDecoder().info(of: data, limits: .standard).frameCount == 1)
            #expect(try pixels(data, frame: 0) == PNGAnimationTests.red + PNGAnimationTests.red)
        }
    }

    @Test("chunks between the data of a frame are passed over")
    func interruptedFrames() throws {
        func control(_ number: Int) -> [UInt8] {
            let area = [2, 1, 0, 0].flatMap(PNGBytes.number)
            return PNGBytes.chunk("fcTL", PNGBytes.number(number) + area + [0, 1, 0, 10, 0, 0])
        }
        let streams = [Self.red, Self.green].map { PNGBytes.stored(row($0, $0)) }
        let text = PNGBytes.chunk("tEXt", [])
        let data = PNGBytes.file([
            PNGBytes.header(2, 1, colorType: 6), PNGBytes.chunk("acTL", PNGBytes.number(2) + PNGBytes.number(0)),
            control(0), PNGBytes.chunk("IDAT", Array(streams[0].prefix(10))), text,
            PNGBytes.chunk("IDAT", Array(streams[0].dropFirst(10))),
            control(1), PNGBytes.chunk("fdAT", PNGBytes.number(2) + Array(streams[1].prefix(10))), text,
            PNGBytes.chunk("fdAT", PNGBytes.number(3) + Array(streams[1].dropFirst(10))), PNGBytes.end,
        ])
        #expect(try pixels(data, frame: 0) == Self.red + Self.red)
        #expect(try pixels(data, frame: 1) == Self.green + Self.green)
    }

    @Test("an animation is cut behind the number of frames that the limit allows")
    func frameLimit() throws {
        let frame = Frame(rows: row(PNGAnimationTests.red, PNGAnimationTests.red))
        let data = file([Frame](repeating: frame, count: 4))
        let limits = DecodeLimits(frameCount: 3)
        let info = try PNGDecoder().info(of: data, limits: limits)
        #expect(info.frameCount == 3 && info.frameDurations.count == 3 && !info.isFrameCountExact)
        #expect(try PNGDecoder().info(of: data, limits: .standard).isFrameCountExact)
        let reader = try FrameReader(data, decoder: PNGDecoder(), options: DecodeOptions(limits: limits))
        #expect(try reader.frame(at: 2).bitmap[0, 0] == PNGAnimationTests.red)
    }

    @Test("an animation cut short still has the frames that are there")
    func cutShort() throws {
        let frame = Frame(rows: row(PNGAnimationTests.red, PNGAnimationTests.red))
        let data = file([Frame](repeating: frame, count: 4))
        for count in stride(from: data.count, to: 120, by: -1) {
            let info = try PNGDecoder().info(of: data.prefix(count), limits: .standard)
            #expect(info.frameDurations.count == (info.loopCount == nil ? 0 : info.frameCount))
        }
        let info = try PNGDecoder().info(of: data.prefix(data.count - 30), limits: .standard)
        #expect(info.frameCount == 3)
    }
}
