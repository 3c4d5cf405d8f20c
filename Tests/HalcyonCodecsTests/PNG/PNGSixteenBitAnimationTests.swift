import Foundation
import HalcyonCodecs
import HalcyonRaster
import Testing

@Suite("Animated PNG of 16 bits a sample")
struct PNGSixteenBitAnimationTests {
    private struct Frame {
        let left: Int
        /// Red, green, blue, alpha, not premultiplied.
        let pixels: [[UInt16]]
        /// 0 keeps the frame, 1 clears it, 2 brings back what was there.
        var disposal: UInt8 = 0
        /// 0 replaces, 1 blends.
        var blending: UInt8 = 0
    }

    /// A file of one row.
    private func file(_ frames: [Frame], _ further: [UInt8] = []) -> Data {
        var sequence = -1
        func next() -> [UInt8] {
            sequence += 1
            return PNGBytes.number(sequence)
        }
        var chunks = [
            PNGBytes.header(frames[0].pixels.count, 1, depth: 16, colorType: 6), further,
            PNGBytes.chunk("acTL", PNGBytes.number(frames.count) + PNGBytes.number(0)),
        ]
        for (index, frame) in frames.enumerated() {
            let area = [frame.pixels.count, 1, frame.left, 0].flatMap(PNGBytes.number)
            chunks.append(PNGBytes.chunk("fcTL", next() + area + [0, 1, 0, 10, frame.disposal, frame.blending]))
            let bytes = frame.pixels.flatMap { $0 }.flatMap { [UInt8($0 >> 8), UInt8(truncatingIfNeeded: $0)] }
            let stream = PNGBytes.stored([0] + bytes)
            chunks.append(index == 0 ? PNGBytes.chunk("IDAT", stream) : PNGBytes.chunk("fdAT", next() + stream))
        }
        return PNGBytes.file(chunks + [PNGBytes.end])
    }

    private static let background: [[UInt16]] = [
        [1_000, 20_001, 65_535, 65_535], [40_003, 5, 7, 65_535], [12_345, 54_321, 999, 65_535],
    ]
    private static let half: [UInt16] = [65_535, 0, 257, 32_769]
    private static let faint: [UInt16] = [300, 600, 900, 1_000]
    private static let opaque: [UInt16] = [9_999, 8_888, 7_777, 65_535]

    private static let frames = [
        Frame(left: 0, pixels: background),
        Frame(left: 1, pixels: [half, [1, 2, 3, 0]], disposal: 2, blending: 1),
        Frame(left: 0, pixels: [faint], disposal: 1),
        Frame(left: 2, pixels: [opaque]),
    ]

    @Test("the colours of frames that are played are converted with all bits, as those of the image are")
    func colors() throws {
        // In linear light, dark samples with the same upper 8 bits are several levels of sRGB.
        let dark: [[UInt16]] = [[0x0180, 0x01c0, 0x01ff, 65_535]]
        let gamma = PNGBytes.chunk("gAMA", PNGBytes.number(100_000))
        let data = file([Frame(left: 0, pixels: dark), Frame(left: 0, pixels: dark)], gamma)
        let image = try ImageCodecs.standard.animatedImage(from: data)
        let animation = try #require(image.animation)
        for box in [nil, PixelSize(1, 1)] {
            let frame = try animation.decoder().frame(at: 1, in: box)
            #expect(frame.bitmap.depth == .eight && frame.colorProfile == nil)
            #expect(frame.bitmap.straightRGBA() == [18, 20, 22, 255])
        }
        let wide = try ImageCodecs.standard.animatedImage(from: data, options: DecodeOptions(keepsSixteenBits: true))
        #expect(try #require(wide.animation).decoder().frame(at: 1).bitmap.depth == .sixteen)
    }

    private func premultiplied(_ pixel: [UInt16]) -> [Double] {
        pixel.dropLast().map { Double($0) * Double(pixel[3]) / 65_535 } + [Double(pixel[3])]
    }

    private func over(_ pixel: [UInt16], _ below: [UInt16]) -> [Double] {
        zip(premultiplied(pixel), premultiplied(below)).map { $0 + $1 * (1 - Double(pixel[3]) / 65_535) }
    }

    private var expected: [[[Double]]] {
        let below = Self.background.map(premultiplied)
        return [
            below,
            [below[0], over(Self.half, Self.background[1]), below[2]],
            [premultiplied(Self.faint), below[1], below[2]],
            [[0, 0, 0, 0], below[1], premultiplied(Self.opaque)],
        ]
    }

    private func check(_ bitmap: Bitmap, is frame: Int) {
        #expect(bitmap.depth == .sixteen)
        #expect(bitmap.isOpaque == (frame < 2), "\(frame)")
        let difference = zip(bitmap.wideSamples, expected[frame].flatMap { $0 }).map { abs(Double($0) - $1) }.max()
        #expect(difference.map { $0 <= 1 } == true, "frame \(frame): \(bitmap.wideSamples)")
    }

    @Test("frames are composed with all bits, in any order")
    func composition() throws {
        let data = file(Self.frames)
        let options = DecodeOptions(keepsSixteenBits: true)
        let reader = try FrameReader(data, decoder: PNGDecoder(), options: options)
        for frame in [0, 1, 2, 3, 1, 3, 0, 2] {
            check(try reader.frame(at: frame).bitmap, is: frame)
            var options = options
            options.frame = frame
            check(try PNGDecoder().decode(data, options: options) { false }.bitmap, is: frame)
        }
    }

    @Test("frames have 8 bits a sample where no more are asked for")
    func eightBits() throws {
        let reader = try FrameReader(file(Self.frames), decoder: PNGDecoder())
        for frame in 0..<4 {
            #expect(try reader.frame(at: frame).bitmap.depth == .eight)
        }
    }

    @Test("canvases of 16 bits take twice the memory of the limit")
    func limits() throws {
        let width = 256
        let row = [[UInt16]](repeating: Self.opaque, count: width)
        let data = file([Frame(left: 0, pixels: row), Frame(left: 0, pixels: row)])
        // Two canvases, a frame, and its row with the byte of its filter.
        for (keepsSixteenBits, bytesPerPixel) in [(false, 4), (true, 8)] {
            let memory = 3 * width * bytesPerPixel + 8 * width + 1
            for frame in [0, 1] {
                var options = DecodeOptions(keepsSixteenBits: keepsSixteenBits, limits: DecodeLimits(memory: memory))
                _ = try FrameReader(data, decoder: PNGDecoder(), options: options).frame(at: frame)
                options.limits.memory -= 1
                #expect(throws: CodecError.self) { try FrameReader(data, decoder: PNGDecoder(), options: options) }
                options.frame = 1
                #expect(throws: CodecError.self) { try PNGDecoder().decode(data, options: options) { false } }
            }
        }
    }
}
