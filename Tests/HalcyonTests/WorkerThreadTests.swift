import FoundationEssentials
import HalcyonSystem
import HalcyonTesting
import Testing

@testable import Halcyon

@Suite("Codecs")
struct WorkerThreadTests {
    /// The calls of codecs, and the threads on which they ran.
    private final class Calls: Sendable {
        private let labels = Lock<[CodecCall: Set<String>]>([:])

        var codecs: ImageCodecs {
            .observed { [labels] call, _ in
                let label = currentQueueLabel
                labels.withLock { _ = $0[call, default: []].insert(label) }
            }
        }

        /// Returns whether there were calls of each kind, all of them on pixel workers.
        func areOnWorkers(_ kinds: CodecCall...) -> Bool {
            let labels = labels.withLock { $0 }
            guard kinds.allSatisfy({ labels[$0] != nil }) else { return false }
            return labels.values.joined().allSatisfy { $0.hasPrefix("halcyon.pixels") }
        }
    }

    private let calls = Calls()
    private let url = Sample.url()
    private let crop = ImageOption.processor(.crop(to: .pixels(9, 9)))

    @Test("run on pixel workers for a load, what it stores, and what it finds on disk")
    func load() async throws {
        let test = TestPipeline(codecs: calls.codecs)
        test.transport.serve(url, Sample.png())
        for options in [[crop], [crop, .forceRefresh, .waitForCache], [.forceRefresh]] {
            _ = try await test.pipeline.response(for: url, options: options)
            await test.settle()
            test.pipeline.cache.removeAllFromMemory()
            #expect(
                try await test.pipeline.response(for: url, options: Array(options.prefix(1))).source
                    != .memory
            )
        }
        #expect(calls.areOnWorkers(.info, .decode, .encode))
    }

    @Test("run on pixel workers for a cache that is asked by itself", arguments: [false, true])
    func cache(isProcessed: Bool) async throws {
        let test = TestPipeline()
        let cache = test.pipeline.cache
        let options: [ImageOption] = isProcessed ? [crop] : []
        let image = try ImageCodecs.standard.decode(Sample.png())
        #expect(try await cache.store(image, for: ImageRequest(url, options: options), codecs: calls.codecs))
        cache.removeAllFromMemory()
        #expect(try await cache.entry(for: ImageRequest(url, options: options), codecs: calls.codecs)?.tier == .disk)
        #expect(calls.areOnWorkers(.decode, .encode))
    }

    @Test("work on pixels that a program hands over runs on pixel workers, within the budget")
    func handedOver() async throws {
        let test = TestPipeline(decodeBudget: 1)
        let image = try ImageCodecs.standard.decode(Sample.png())
        let (started, mayEnd) = (Gate(), Gate())
        let pipeline = test.pipeline
        async let first = pipeline.withPixels(of: image) { _ in
            started.open()
            mayEnd.block()
            return currentQueueLabel
        }
        await started.wait()
        // There is a second thread, but the first has all of the budget.
        async let second = pipeline.withPixels(of: image) { bitmap in mayEnd.isOpen && bitmap.width == 64 }
        await eventually { pipeline.stages.workers.budgetWaiterCount == 1 }
        mayEnd.open()
        #expect(try await first.hasPrefix("halcyon.pixels"))
        #expect(try await second)
    }

    @Test("run on pixel workers where only a header is looked at")
    func headers() async throws {
        let test = TestPipeline(codecs: calls.codecs)
        test.transport.serve(url, Sample.png())
        let prefetcher = ImagePrefetcher(urls: [url], pipeline: test.pipeline, destination: .disk)
        #expect(await prefetcher.run().completed.count == 1)
        #expect(calls.areOnWorkers(.info))
    }

    @Test("run on pixel workers where a stale image is revalidated")
    func refresh() async throws {
        let clock = ManualStoreClock()
        let test = TestPipeline(codecs: calls.codecs, clock: clock.clock)
        let headers = ScriptedTransport.Route(headers: [.cacheControl: "max-age=1, stale-while-revalidate=60"])
        for seed in 1...2 {
            var route = headers
            route.body = Sample.png(seed: seed)
            test.transport.setRoute(url, route)
            _ = try await test.pipeline.response(for: url)
            await test.pipeline.stages.original.refresher.wait()
            await test.settle()
            test.pipeline.cache.removeAllFromMemory()
            clock.advance(by: 2)
        }
        #expect(test.transport.startedCount == 2)
        #expect(calls.areOnWorkers(.info, .decode))
    }

    @Test("of processed images share the budget with decoders")
    func encodingBudget() async throws {
        let (gate, running) = (DispatchGate(), Lock<[CodecCall]>([]))
        let codecs = ImageCodecs.observed { call, _ in
            guard call != .info else { return }
            let isFirstEncoding = running.withLock { running in
                defer { running.append(call) }
                return call == .encode && !running.contains(.encode)
            }
            if isFirstEncoding { gate.wait() }
        }
        let test = TestPipeline(codecs: codecs, decodeBudget: 1)
        let other = Sample.url()
        for url in [url, other] { test.transport.serve(url, Sample.png()) }
        _ = try await test.pipeline.response(for: url, options: [crop])
        await eventually { running.withLock { $0 } == [.decode, .encode] }
        let second = test.pipeline.task(for: other)
        await eventually { test.pipeline.stages.workers.budgetWaiterCount == 1 }
        #expect(running.withLock { $0 } == [.decode, .encode])
        gate.open()
        _ = try await second.response
        await test.settle()
    }
}
