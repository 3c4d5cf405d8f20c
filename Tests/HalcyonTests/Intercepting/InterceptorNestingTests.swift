import FoundationEssentials
import HalcyonSystem
import HalcyonTesting
import Testing

@testable import Halcyon

@Suite("An interceptor that uses its own pipeline")
struct InterceptorNestingTests {
    private let pipeline = Lock<ImagePipeline?>(nil)
    private let log = CallLog()

    /// Returns an interceptor that loads another image before it goes on.
    private func nesting(_ name: String) -> TestInterceptor {
        let (pipeline, log) = (pipeline, log)
        return TestInterceptor { load in
            log.add(name)
            if let pipeline = pipeline.withLock({ $0 }) { _ = try await pipeline.image(from: Sample.url()) }
            return try await load.proceed()
        }
    }

    /// Loads an image with interceptors that know the pipeline.
    private func load(_ interceptors: [TestInterceptor]) async throws -> (log: [String], transfers: Int) {
        let test = TestPipeline(interceptors: interceptors)
        test.transport.setAnswer { _ in .init(body: Sample.png()) }
        pipeline.withLock { $0 = test.pipeline }
        defer { pipeline.withLock { $0 = nil } }
        _ = try await test.pipeline.response(for: Sample.url())
        return (log.take(), test.transport.startedCount)
    }

    @Test("does not come to its own load, which others see")
    func own() async throws {
        let seen = TestInterceptor { [log] load in
            log.add("seen")
            return try await load.proceed()
        }
        let result = try await load([nesting("a"), seen])
        #expect(result.log == ["a", "seen", "seen"] && result.transfers == 2)
    }

    @Test("comes to the load of an interceptor after it, and the two of them end")
    func mutual() async throws {
        let result = try await load([nesting("a"), nesting("b")])
        // Two loads are begun for the first, one by each, and one for each of those by the other.
        #expect(result.log == ["a", "b", "b", "a"] && result.transfers == 5)
    }

    @Test("does not come to a task or a look-up that it begins when it prepares a request")
    func preparing() async throws {
        let (pipeline, log) = (pipeline, log)
        let tasks = Lock<[ImageTask]>([])
        let interceptor = TestInterceptor(preparing: { request in
            log.add("prepare")
            guard let pipeline = pipeline.withLock({ $0 }) else { return request }
            _ = pipeline.responseFromMemory(for: request)
            let task = pipeline.task(for: ImageRequest(Sample.url()))
            tasks.withLock { $0.append(task) }
            return request
        })
        let result = try await load([interceptor])
        #expect(result.log == ["prepare"])
        for task in tasks.withLock({ $0 }) { _ = try await task.response }
        #expect(tasks.withLock { $0.count } == 1)
    }

    @Test("does not come to the loads of a prefetcher that it starts, which others see")
    func prefetching() async throws {
        let (pipeline, log) = (pipeline, log)
        let starting = TestInterceptor { load in
            log.add("start")
            // Would begin one after the other without end.
            if log.texts.count < 5, let pipeline = pipeline.withLock({ $0 }) {
                let result = await ImagePrefetcher(urls: [Sample.url()], pipeline: pipeline).run()
                log.add("\(result.completed.count)")
            }
            return try await load.proceed()
        }
        let seen = TestInterceptor { load in
            log.add("seen")
            return try await load.proceed()
        }
        let result = try await load([starting, seen])
        #expect(result.log == ["start", "seen", "1", "seen"] && result.transfers == 2)
    }

    @Test("comes to the loads of another pipeline")
    func otherPipeline() async throws {
        let interceptor = nesting("a")
        let test = TestPipeline(interceptors: [interceptor])
        test.transport.setAnswer { _ in .init(body: Sample.png()) }
        let shared = TestPipeline(interceptors: [interceptor])
        shared.transport.setAnswer { _ in .init(body: Sample.png()) }
        pipeline.withLock { $0 = shared.pipeline }
        defer { pipeline.withLock { $0 = nil } }
        _ = try await test.pipeline.response(for: Sample.url())
        // One of the first pipeline, and for it one of the second, which asks itself without it.
        #expect(log.take() == ["a", "a"])
        #expect(test.transport.startedCount == 1 && shared.transport.startedCount == 2)
    }
}
