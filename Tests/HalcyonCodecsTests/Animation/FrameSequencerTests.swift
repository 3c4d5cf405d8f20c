import HalcyonRaster
import Testing

@testable import HalcyonCodecs

@Suite("Composing frames")
struct FrameSequencerTests {
    private static let canvas = PixelSize(4, 2)

    private func frame(
        _ size: PixelSize = canvas,
        blending: FrameDescription.Blending = .source,
        disposal: FrameDescription.Disposal = .keep,
        workingByteCount: Int = 0
    ) -> FrameDescription {
        FrameDescription(
            left: 0,
            top: 0,
            size: size,
            blending: blending,
            disposal: disposal,
            workingByteCount: workingByteCount
        )
    }

    private func sequencer(
        _ frames: [FrameDescription],
        limits: DecodeLimits = .standard,
        heldBitmapCount: Int = 0
    ) throws -> FrameSequencer {
        try FrameSequencer(
            frames,
            canvas: Self.canvas,
            format: .png,
            limits: limits,
            heldBitmapCount: heldBitmapCount
        )
    }

    /// The numbers of the frames that are decoded so that `index` can be composed; each frame is of one shade.
    private func decoded(_ index: Int, by sequencer: inout FrameSequencer) throws -> [Int] {
        var numbers: [Int] = []
        let frames = sequencer.frames
        _ = try sequencer.bitmap(ofFrame: index, isCancelled: { false }) { number in
            numbers.append(number)
            let size = frames[number].size
            return .bitmap(try TestImages.bitmap(size.width, size.height) { _, _ in (number, 0, 0, 255) })
        }
        return numbers
    }

    @Test("no frame is decoded that the one asked for does not need")
    func restart() throws {
        let part = PixelSize(2, 2)
        // The third covers everything, the fifth clears it, and the sixth begins on an empty canvas.
        let frames = [
            frame(), frame(part), frame(), frame(part, blending: .over), frame(disposal: .clear), frame(part),
        ]
        var sequencer = try sequencer(frames)
        #expect(try decoded(3, by: &sequencer) == [2, 3])
        #expect(try decoded(3, by: &sequencer) == [])
        #expect(try decoded(1, by: &sequencer) == [0, 1])
        #expect(try decoded(5, by: &sequencer) == [5])
        #expect(try decoded(4, by: &sequencer) == [4])
        #expect(try decoded(5, by: &sequencer) == [5])
    }

    @Test("a frame that is made of more pixels than there is time for is refused, and those after each other are not")
    func work() throws {
        // Eight have 2^31 pixels.
        let frames = [FrameDescription](repeating: frame(PixelSize(1 << 14, 1 << 14), blending: .over), count: 10)
        var sequencer = try sequencer(frames)
        var count = 0
        func compose(_ index: Int) throws {
            _ = try sequencer.bitmap(ofFrame: index, isCancelled: { false }) { _ in
                count += 1
                return .rows(.over, isComplete: true) { _, _ in }
            }
        }
        let reason = "frame 8 is made of more frames than are decoded for one"
        #expect(throws: CodecError.unsupported(.png, reason: reason)) { try compose(8) }
        #expect(count == 8)
        for index in frames.indices { try compose(index) }
    }

    @Test("a frame whose data end early is no place to begin, and those before it are composed first")
    func incomplete() throws {
        var sequencer = try sequencer([frame(), frame(PixelSize(2, 2)), frame()])
        for expected in [[2, 0, 1, 2], []] {
            var numbers: [Int] = []
            let bitmap = try sequencer.bitmap(ofFrame: 2, isCancelled: { false }) { number in
                numbers.append(number)
                return .rows(.over, isComplete: number != 2) { row, y in
                    if number != 2 || y == 0 {
                        row.update(repeating: UInt8(200 + number), count: 4)
                    }
                }
            }
            #expect(numbers == expected)
            let bytes = bitmap.premultipliedBytes()
            #expect(bytes[0] == 202 && bytes[4 * Self.canvas.width] == 201)
        }
    }

    @Test("memory is counted for the canvas, the one that comes back, bitmaps held elsewhere, and decoding")
    func memory() throws {
        let canvas = Self.canvas.bitmapByteCount
        let frames = [frame(workingByteCount: 100), frame(disposal: .restore, workingByteCount: 50)]
        for (index, needed) in [(0, 2 * canvas + 100), (1, 3 * canvas + 50)] {
            let enough = try sequencer(frames, limits: DecodeLimits(memory: needed), heldBitmapCount: 1)
            var tooLittle = try sequencer(frames, limits: DecodeLimits(memory: needed - 1), heldBitmapCount: 1)
            try enough.check(index..<index + 1)
            #expect(throws: CodecError.limitExceeded(.png, .memory(needed, maximum: needed - 1))) {
                try tooLittle.check(index..<index + 1)
            }
            #expect(throws: CodecError.self) { try decoded(index, by: &tooLittle) }
        }
        #expect(throws: CodecError.limitExceeded(.png, .memory(2 * canvas, maximum: canvas))) {
            try sequencer(frames, limits: DecodeLimits(memory: canvas), heldBitmapCount: 1)
        }
    }
}
