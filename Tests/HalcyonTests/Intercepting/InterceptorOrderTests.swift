import FoundationEssentials
import HalcyonSystem
import HalcyonTesting
import Testing

@testable import Halcyon

@Suite("The steps of interceptors")
struct InterceptorOrderTests {
    private let log = CallLog()
    private let observer = RecordingObserver()
    private let test: TestPipeline
    private let url = Sample.url()

    init() {
        let interceptors = ["a", "b"].map { [log] in RecordingInterceptor(name: $0, log: log) }
        test = TestPipeline(observers: [observer], interceptors: interceptors)
        test.transport.serve(url, Sample.png())
    }

    private var pipeline: ImagePipeline { test.pipeline }

    private func interceptor(_ name: String) -> RecordingInterceptor { RecordingInterceptor(name: name, log: log) }

    @Test("come in the order of the chain, the pipeline's first, and each once")
    func order() async throws {
        let options: [ImageOption] = [.interceptors(interceptor("c"), interceptor("a"))]
        #expect(try await pipeline.response(for: url, options: options).source == .network)
        #expect(
            log.take() == [
                "prepare a", "prepare b", "prepare c", "load a", "load b", "load c", "end c", "end b", "end a",
            ]
        )
    }

    @Test("leave an image in memory where it is: it is returned at once, without the second step")
    func memory() async throws {
        _ = try await pipeline.response(for: url)
        _ = log.take()
        #expect(pipeline.responseFromMemory(for: url)?.source == .memory)
        #expect(pipeline.responseFromMemory(for: ImageRequest(url))?.source == .memory)
        #expect(pipeline.task(for: ImageRequest(url)).finishedResponse?.source == .memory)
        #expect(try await pipeline.response(for: url).source == .memory)
        #expect(try await pipeline.response(for: ImageRequest(url)).source == .memory)
        #expect(log.take() == Array(repeating: ["prepare a", "prepare b"], count: 5).flatMap(\.self))
        #expect(observer.textsByLoad.last == ["began", "memory hit", "ended memory"])
    }

    @Test("are the first alone for a look-up that blocks its thread")
    func blockingLookUp() async throws {
        _ = try await pipeline.response(for: url)
        await test.settle()
        pipeline.cache.removeAllFromMemory()
        _ = log.take()
        let (pipeline, url) = (pipeline, url)
        #expect(try await onThread { pipeline.responseFromCache(for: url) }?.source == .disk)
        #expect(log.take() == ["prepare a", "prepare b"])
    }

    @Test("are told of a failure, which ends the load unless one of them replaces it")
    func failure() async throws {
        let missing = Sample.url("missing.png")
        test.transport.serve(missing, Data(), status: 404)
        #expect(await reason { try await pipeline.response(for: missing) } == .status(404))
        #expect(log.take() == ["prepare a", "prepare b", "load a", "load b", "fail b", "fail a"])
        let rescue = TestInterceptor { load in
            do { return try await load.proceed() } catch is ImageError { return .pixel }
        }
        let options: [ImageOption] = [.interceptors(rescue)]
        #expect(try await pipeline.response(for: missing, options: options).image.size == PixelSize(1, 1))
        #expect(log.take().suffix(2) == ["end b", "end a"])
    }

    @Test("come once for a load, inside of which are attempts, other sources and previews")
    func once() async throws {
        let (missing, gate) = (Sample.url("missing.png"), Gate())
        test.transport.serve(missing, Data(), status: 503)
        let waiting = TestInterceptor { load in
            await gate.wait()
            return try await load.proceed()
        }
        let task = pipeline.task(
            for: missing,
            options: [
                .alternativeSources([.url(url)]), .retry(.fixed(maxAttempts: 2, base: .zero)),
                .previews([.data(Sample.png(4, 3))]), .interceptors(waiting),
            ]
        )
        var previews = task.previews.makeAsyncIterator()
        #expect(await previews.next()?.image.size == PixelSize(4, 3))
        gate.open()
        let response = try await task.response
        #expect(response.image.size == PixelSize(64, 48) && response.substitution?.used == .url(url))
        #expect(test.transport.startedCount(missing) == 2)
        #expect(log.take() == ["prepare a", "prepare b", "load a", "load b", "end b", "end a"])
    }

    @Test("come for each of several equal loads, which share what lies below")
    func sharing() async throws {
        let shared = Sample.url("shared.png")
        let tasks = (0..<3).map { _ in pipeline.task(for: ImageRequest(shared)) }
        let transfer = await test.transport.nextTransfer()
        await eventually { [test] in test.pipeline.stages.images.waiterCount == 3 }
        transfer.answer(.init(body: Sample.png()))
        for task in tasks { #expect(try await task.response.source == .network) }
        #expect(test.transport.startedCount(shared) == 1)
        #expect(log.texts.filter { $0 == "load b" }.count == 3)
    }
}
