import HalcyonCodecs
import Testing

@testable import HalcyonSearch

@Suite("Labelled images")
struct LabelledImageTests {
    @Test("say which image they are", arguments: [false, true], [false, true])
    func serials(isLarge: Bool, isAnimated: Bool) throws {
        for serial in [1, 2, 77, 4_095, 8_191] {
            let data = try LabelledImage.encoded(serial: serial, isLarge: isLarge, isAnimated: isAnimated)
            guard case .image(serial, nil) = LabelledImage.outcome(of: data) else {
                Issue.record("image \(serial) is not recognised")
                return
            }
        }
    }

    @Test("have animations of which every frame is theirs")
    func animations() throws {
        let codecs = ImageCodecs.standard
        func animation(_ serial: Int) throws -> ImageAnimation {
            let data = try LabelledImage.encoded(serial: serial, isLarge: false, isAnimated: true)
            return try #require(codecs.animation(of: codecs.decode(data), data, options: DecodeOptions()))
        }
        let appearance = Appearance(size: LabelledImage.size(isLarge: false))
        for serial in 1...3 {
            #expect(try LabelledImage.problem(with: animation(serial), serial: serial, appearance) == nil)
        }
        let marked = Appearance(size: appearance.size, marks: [1])
        #expect(try LabelledImage.problem(with: animation(1), serial: 1, marked) != nil)
        #expect(try LabelledImage.problem(with: animation(2), serial: 1, appearance) != nil)
        // Frames that were decoded from another file, with as many frames.
        let mixed = try animation(1).preloading(animation(4).decoder().frames())
        #expect(mixed.preloadedFrames != nil)
        #expect(LabelledImage.problem(with: mixed, serial: 1, appearance) != nil)
    }

    @Test("are not recognised after a change of one bit")
    func damage() {
        let label = LabelledImage.Label(serial: 1_234, frame: 1)
        for bit in 0..<24 {
            var color = label.color
            color[bit / 8] ^= 1 << UInt8(bit % 8)
            #expect(LabelledImage.Label(color: color) == nil)
        }
    }
}
