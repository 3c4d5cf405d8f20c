import FoundationEssentials
import HalcyonSystem
import HalcyonTesting
import Testing

@testable import Halcyon

@Suite("A provider")
struct ProviderTests {
    private let test = TestPipeline()

    @Test("is asked once for equal loads at the same time")
    func sharing() async throws {
        let (calls, gate) = (Lock(0), Gate())
        let requests = (0..<5).map { number in
            let source = Source.closure(cacheKey: "page") {
                calls.withLock { $0 += 1 }
                await gate.wait()
                return Sample.png()
            }
            // Of different processing, so that only the bytes are shared.
            return ImageRequest(source, options: [.processor(.crop(to: .pixels(number + 1, 1)))])
        }
        let tasks = requests.map { test.pipeline.task(for: $0) }
        await eventually { [test] in test.pipeline.stages.decoding.work.waiterCount == 5 }
        gate.open()
        for (number, task) in tasks.enumerated() {
            #expect(try await task.image.size == PixelSize(number + 1, 1))
        }
        #expect(calls.withLock { $0 } == 1)
    }

    @Test("in a closure is kept on disk under its name")
    func closure() async throws {
        let calls = Lock(0)
        let request = ImageRequest(
            .closure(cacheKey: "page") {
                calls.withLock { $0 += 1 }
                return Sample.png()
            }
        )
        #expect(try await test.pipeline.response(for: request).source == .data)
        await test.settle()
        test.pipeline.cache.removeAllFromMemory()
        #expect(try await test.pipeline.response(for: request).source == .disk)
        #expect(try await test.pipeline.cache.remove(for: request) == 1)
        #expect(try await test.pipeline.response(for: request).source == .data)
        #expect(calls.withLock { $0 } == 2)
    }

    @Test("is known by its name alone: others of any type with that name are not asked, one with another name is")
    func names() async throws {
        func provider(_ name: String, _ seed: Int) -> Source { .closure(cacheKey: name) { Sample.png(seed: seed) } }
        let typed = Source.provider(PlainProvider(cacheKey: "page-1", bytes: Sample.png(seed: 3)))
        for isInMemory in [true, false] {
            for (source, owner) in [(provider("page-1", 1), 1), (provider("page-1", 2), 1), (typed, 1)] {
                #expect(try await test.pipeline.image(from: ImageRequest(source)).owner == owner)
            }
            #expect(try await test.pipeline.image(from: ImageRequest(provider("page-2", 2))).owner == 2)
            await test.settle()
            if isInMemory { test.pipeline.cache.removeAllFromMemory() }
        }
        #expect(try await test.pipeline.cache.storedImages().map(\.original).sorted() == ["page-1", "page-2"])
    }

    @Test("is asked for its name once, so that one whose name changes is one image all the same")
    func name() async throws {
        let provider = RenamingProvider()
        let request = ImageRequest(.provider(provider))
        #expect(try await test.pipeline.response(for: request).source == .data)
        #expect(try await test.pipeline.response(for: request).source == .memory)
        await test.settle()
        test.pipeline.cache.removeAllFromMemory()
        #expect(try await test.pipeline.response(for: request).source == .disk)
        #expect(request == request && Set([request, request]).count == 1)
        #expect(provider.count.withLock { $0 } == 1)
        // Another source of the same provider asks anew.
        #expect(Source.provider(provider) != request.source)
    }

    @Test("that heeds cancellation is stopped by it")
    func cancellation() async throws {
        let (hasStarted, hasStopped) = (Gate(), Gate())
        let source = Source.closure(cacheKey: "slow") {
            hasStarted.open()
            return try await withTaskCancellationHandler {
                try await Task.sleep(for: .seconds(3_600))
                return Data()
            } onCancel: {
                hasStopped.open()
            }
        }
        let task = test.pipeline.task(for: ImageRequest(source))
        await hasStarted.wait()
        task.cancel()
        await hasStopped.wait()
        await #expect(throws: CancellationError.self) { try await task.response }
    }
}

@Suite("A hostile provider")
struct HostileProviderTests {
    private let recovery = RecoveryTest()
    private var pipeline: ImagePipeline { recovery.pipeline }

    private func failure(_ options: [ImageOption] = [], _ data: Data) async throws -> ImageError {
        let source = Source.closure(cacheKey: "hostile") { data }
        return try await pipeline.task(for: ImageRequest(source, options: options)).failure()
    }

    @Test("without bytes fails, and is an error of loading")
    func empty() async throws {
        let error = try await failure([], Data())
        #expect(error.stage == .load && error.reason == .provider("the provider has no bytes"))
    }

    @Test("of more bytes than allowed fails before they are decoded")
    func limit() async throws {
        let data = Sample.png()
        let allowing = { (count: Int) in ImageOption { $0.network.limits = TransferLimits(bodyBytes: count) } }
        let error = try await failure([allowing(data.count - 1)], data)
        #expect(error.stage == .load)
        #expect(error.reason == .provider("the provider has more than the \(data.count - 1) bytes allowed"))
        #expect(recovery.test.counters.decodes == 0)
        let source = Source.closure(cacheKey: "fits") { data }
        _ = try await pipeline.image(from: ImageRequest(source, options: [allowing(data.count)]))
    }

    @Test("that throws a cancellation of its own ends the load as cancelled, without another attempt or source")
    func ownCancellation() async throws {
        let calls = Lock(0)
        let source = Source.closure(cacheKey: "dismissed") {
            calls.withLock { $0 += 1 }
            throw CancellationError()
        }
        let options: [ImageOption] = [
            .retry(.fixed(maxAttempts: 3, base: .zero)), .alternativeSources([.url(recovery.url)]),
        ]
        let task = pipeline.task(for: ImageRequest(source, options: options))
        await #expect(throws: CancellationError.self) { try await task.response }
        #expect(calls.withLock { $0 } == 1)
        #expect(recovery.transport.startedCount == 0)
    }

    @Test("that never returns keeps neither a cancelled load nor a later one waiting")
    func never() async throws {
        let (hasStarted, mayEnd, calls) = (Gate(), Gate(), Lock(0))
        let source = Source.closure(cacheKey: "endless") {
            let isFirst = calls.withLock { calls in
                calls += 1
                return calls == 1
            }
            guard isFirst else { return Sample.png() }
            hasStarted.open()
            await mayEnd.wait()
            return Sample.png(1, 1)
        }
        let task = pipeline.task(for: ImageRequest(source))
        await hasStarted.wait()
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.response }
        #expect(try await pipeline.image(from: ImageRequest(source)).size == PixelSize(64, 48))
        mayEnd.open()
        await recovery.test.settle()
        #expect(pipeline.responseFromMemory(for: ImageRequest(source))?.image.size == PixelSize(64, 48))
    }
}

/// Has its data at hand.
private struct PlainProvider: ImageDataProvider {
    let cacheKey: String
    let bytes: Data

    func data() async throws -> Data { bytes }
}

/// A provider that has another name each time.
private final class RenamingProvider: ImageDataProvider {
    let count = Lock(0)

    var cacheKey: String {
        count.withLock { count in
            count += 1
            return "name-\(count)"
        }
    }

    func data() async throws -> Data { Sample.png() }
}
