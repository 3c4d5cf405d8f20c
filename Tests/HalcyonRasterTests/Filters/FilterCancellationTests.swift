import HalcyonRaster
import Testing

@Suite("filters can be cancelled")
struct FilterCancellationTests {
    typealias Filter = @Sendable (Bitmap, () -> Bool) throws -> Bitmap

    static let filters: [(name: String, filter: Filter)] = [
        ("blur of a small radius", { try $0.blurred(radius: 2, isCancelled: $1) }),
        ("blur of a large radius", { try $0.blurred(radius: 30, isCancelled: $1) }),
        ("sharpening", { try $0.sharpened(radius: 1, amount: 1, isCancelled: $1) }),
        ("linear light", { try $0.resampledInLinearLight(to: PixelSize(90, 70), isCancelled: $1) }),
    ]

    @Test("whenever they ask, and then end", arguments: filters.indices)
    func everyQuestion(index: Int) throws {
        let (name, filter) = Self.filters[index]
        let bitmap = try Bitmap.noise(600, 40, seed: 81)
        var total = 0
        _ = try filter(bitmap) {
            total += 1
            return false
        }
        #expect(total >= 4, "\(name) asks \(total) times")
        for last in 1...total {
            var questions = 0
            #expect(throws: CancellationError.self) {
                try filter(bitmap) {
                    questions += 1
                    return questions == last
                }
            }
            #expect(questions == last)
        }
    }

    @Test("before they do a thirtieth of the work on a large image", arguments: filters.indices)
    func questionsAreFrequent(index: Int) throws {
        let (name, filter) = Self.filters[index]
        var total = 0
        _ = try filter(try Bitmap.noise(64, 1_000, seed: 82, isOpaque: true)) {
            total += 1
            return false
        }
        #expect(total >= 30, "\(name) asks \(total) times")
    }
}
