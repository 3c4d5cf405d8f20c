import HalcyonSystem
import Testing

@testable import Halcyon

@Suite("A cancelled processor")
struct ProcessorCancellationTests {
    /// Counts the questions whether work is cancelled, and says so from one on.
    private final class Questions: Sendable {
        private let counter = Lock(0)
        private let limit: Int

        init(limit: Int = .max) {
            self.limit = limit
        }

        var count: Int { counter.withLock { $0 } }

        func ask() -> Bool {
            counter.withLock { count in
                count += 1
                return count >= limit
            }
        }
    }

    private static func image(_ size: PixelSize) throws -> DecodedImage {
        let bitmap = try Bitmap(size: size, isOpaque: false)
        return DecodedImage(bitmap: bitmap, info: ImageInfo(format: .png, size: size))
    }

    @Test("asks at least once for each 65,536 pixels that it makes or reads", arguments: ProcessorExamples.families)
    func questions(family: ProcessorExamples.Family) throws {
        let image = try Self.image(PixelSize(1_200, 900))
        for chain in family.chains {
            guard let processor = chain.steps.first?.processor else { continue }
            let questions = Questions()
            let result = try processor.process(image) { questions.ask() }
            // Where nothing changes, the pixels are passed on.
            if result.bitmap.buffer === image.bitmap.buffer { continue }
            #expect(questions.count >= result.size.area / 65_536, "\(processor)")
            #expect(questions.count > 1, "\(processor)")
        }
    }

    @Test("of an image of 12 megapixels stops where it asks", arguments: ProcessorExamples.families)
    func stops(family: ProcessorExamples.Family) throws {
        let image = try Self.image(PixelSize(4_000, 3_000))
        for chain in family.chains where chain != .orient(.up) {
            guard let processor = chain.steps.first?.processor else { continue }
            let questions = Questions(limit: 3)
            #expect(throws: CancellationError.self, "\(processor)") {
                try processor.process(image) { questions.ask() }
            }
            #expect(questions.count == 3, "\(processor)")
        }
    }
}
