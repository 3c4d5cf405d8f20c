import Testing

@testable import HalcyonSearch

@Suite("Labelled images")
struct LabelledImageTests {
    @Test("say which image they are", arguments: [false, true], [false, true])
    func serials(isLarge: Bool, isAnimated: Bool) throws {
        for serial in [1, 2, 77, 4_095, 16_383] {
            let data = try LabelledImage.encoded(serial: serial, isLarge: isLarge, isAnimated: isAnimated)
            guard case .image(serial, nil) = LabelledImage.outcome(of: data) else {
                Issue.record("image \(serial) is not recognised")
                return
            }
        }
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
