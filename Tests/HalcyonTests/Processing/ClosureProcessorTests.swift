import FoundationEssentials
import HalcyonTesting
import Testing

@testable import Halcyon

@Suite("A processor of a closure")
struct ClosureProcessorTests {
    @Test("runs once for each name, and its result is kept under it")
    func name() async throws {
        let test = TestPipeline()
        let url = Sample.url()
        test.transport.serve(url, Sample.png())
        let calls = CallCounter()
        func load(_ name: String) async throws -> DecodedImage {
            let chain: ImageProcessorChain = .closure(name: name) { image, _ in
                calls.add()
                return image.replacingBitmap(try image.bitmap.resampled(to: PixelSize(name.count, 1)))
            }
            return try await test.pipeline.image(from: url, options: [.processor(chain), .waitForCache])
        }
        #expect(try await load("a").size == PixelSize(1, 1))
        #expect(try await load("a").size == PixelSize(1, 1))
        #expect(calls.value == 1)
        #expect(try await load("bb").size == PixelSize(2, 1))
        #expect(calls.value == 2)
        test.pipeline.cache.removeAllFromMemory()
        #expect(try await load("a").size == PixelSize(1, 1))
        #expect(calls.value == 2)
    }

    @Test("is equal to others of its name")
    func equality() {
        let processors = ["a", "b", "", "\u{E9}", "e\u{301}"].map { name in
            ClosureProcessor(name: name) { image, _ in image }
        }
        #expect(Set(processors).count == processors.count)
        let other = ClosureProcessor(name: "a") { image, _ in image.replacingBitmap(Sample.bitmap(1, 1)) }
        #expect(processors[0] == other)
        #expect(ImageProcessorChain(processors[0]) == ImageProcessorChain(other))
    }

    @Test("gets the cancellation, and its error is that of the load")
    func failure() async throws {
        let image = DecodedImage(processing: Sample.bitmap())
        let cancelled: ImageProcessorChain = .closure(name: "cancelled") { image, isCancelled in
            if isCancelled() { throw CancellationError() }
            return image
        }
        let processor = try #require(cancelled.steps.first?.processor)
        #expect(throws: CancellationError.self) { _ = try processor.process(image) { true } }
        #expect(try processor.process(image) { false }.size == image.size)

        let test = TestPipeline()
        let url = Sample.url()
        test.transport.serve(url, Sample.png())
        let failing: ImageProcessorChain = .closure(name: "failing") { _, _ in
            throw ProcessingError.emptySize(PixelSize(0, 0))
        }
        let error = await #expect(throws: ImageError.self) {
            _ = try await test.pipeline.image(from: url, options: [.processor(failing)])
        }
        #expect(error?.stage == .process)
    }
}
