import FoundationEssentials
import HalcyonSystem
import HalcyonTesting
import Testing

@testable import Halcyon

@Suite("Code of a user that runs in the middle of things")
struct ReentrancyTests {
    private let test = TestPipeline()
    private let url = Sample.url()

    @Test("may cancel another load when a value of its options is released")
    func released() async throws {
        let other = test.pipeline.task(for: Sample.url())
        _ = await test.transport.nextTransfer()
        let first = test.pipeline.task(
            for: url,
            options: [.processor(ImageProcessorChain(OwningProcessor(owned: nil)))]
        )
        let transfer = await test.transport.nextTransfer()
        await leave(cancelling: other)
        // Joins the same work as the load that left, whose options may be released now.
        let third = test.pipeline.task(
            for: url,
            options: [.processor(ImageProcessorChain(OwningProcessor(owned: nil)))]
        )
        await #expect(throws: CancellationError.self) { try await other.response }
        await eventually { [test] in test.pipeline.stages.images.waiterCount == 2 }
        transfer.answer(.init(body: Sample.png()))
        _ = try await (first.response, third.response)
    }

    /// Joins and leaves the load of ``url``, with options that nothing else keeps.
    private func leave(cancelling other: ImageTask) async {
        let owned = Owned { other.cancel() }
        let second = test.pipeline.task(
            for: url,
            options: [.processor(ImageProcessorChain(OwningProcessor(owned: owned)))]
        )
        await eventually { [test] in test.pipeline.stages.images.waiterCount == 3 }
        second.cancel()
        await #expect(throws: CancellationError.self) { try await second.response }
    }

    @Test("may ask a prefetcher for its progress when a load is cancelled because that is stopped")
    func stopped() async {
        let prefetcher = Lock<ImagePrefetcher?>(nil)
        let (hasBegun, isCancelled) = (Gate(), Gate())
        let provider = WaitingProvider(cacheKey: url.absoluteString, hasBegun: hasBegun) {
            #expect(prefetcher.withLock { $0 }?.progress.finishedCount == 0)
            isCancelled.open()
        }
        let created = ImagePrefetcher(requests: [ImageRequest(.provider(provider))], pipeline: test.pipeline)
        prefetcher.withLock { $0 = created }
        created.start()
        await hasBegun.wait()
        created.stop()
        await isCancelled.wait()
        #expect(await created.run().failed.count == 1)
    }
}

/// Calls a function at its end.
private final class Owned: Sendable {
    private let end: @Sendable () -> Void

    init(_ end: @escaping @Sendable () -> Void) {
        self.end = end
    }

    deinit {
        end()
    }
}

/// Keeps an object and changes nothing.
private struct OwningProcessor: ImageProcessing {
    let owned: Owned?

    func encodeParameters(into encoder: inout CacheKeyEncoder) {}

    func process(_ image: DecodedImage, isCancelled: @Sendable () -> Bool) throws -> DecodedImage { image }

    static func == (left: OwningProcessor, right: OwningProcessor) -> Bool { true }

    func hash(into hasher: inout Hasher) {}
}

/// Has no data before it is cancelled.
private struct WaitingProvider: ImageDataProvider {
    let cacheKey: String
    let hasBegun: Gate
    let onCancel: @Sendable () -> Void

    func data() async throws -> Data {
        let end = Gate()
        await withTaskCancellationHandler {
            hasBegun.open()
            await end.wait()
        } onCancel: {
            onCancel()
            end.open()
        }
        throw CancellationError()
    }
}
