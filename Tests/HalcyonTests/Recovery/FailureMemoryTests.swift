import FoundationEssentials
import HTTPTypes
import HalcyonSystem
import HalcyonTesting
import Testing

@testable import Halcyon

@Suite("The memory of failures")
struct FailureMemoryTests {
    private let clock: ManualClock
    private let memory: FailureMemory
    private let test: TestPipeline
    private let url = Sample.url()

    private var generation: UInt64 { test.pipeline.configuration.downloader.setup.generation }

    init() {
        let clock = ManualClock()
        let memory = FailureMemory(expiration: .seconds(60), clock: clock)
        self.clock = clock
        self.memory = memory
        test = TestPipeline(recovery: RecoveryConfiguration(clock: clock, failureMemory: memory))
    }

    private func failure(_ options: [ImageOption] = []) async throws -> ImageError {
        try await test.pipeline.task(for: url, options: options).failure()
    }

    @Test("is off by default: each load asks the server")
    func off() async throws {
        let test = TestPipeline()
        test.transport.serve(url, Data(), status: 404)
        for _ in 0..<2 { _ = try await test.pipeline.task(for: url).failure() }
        #expect(test.transport.startedCount == 2)
    }

    @Test("stops a request that failed until the failure expires")
    func expires() async throws {
        test.transport.serve(url, Data(), status: 404)
        #expect(try await failure().reason == .status(404))
        clock.advance(by: .seconds(59))
        let error = try await failure()
        #expect(error.reason == .failedBefore(.status(404)))
        #expect(error.description.contains("a short while ago: the server answered with status 404"))
        #expect(test.transport.startedCount == 1)
        clock.advance(by: .seconds(1))
        #expect(try await failure().reason == .status(404))
        #expect(test.transport.startedCount == 2)
    }

    @Test("neither fails nor remembers loads whose options have hooks")
    func hooks() async throws {
        test.transport.setAnswer { request in
            request.headers[.authorization] == nil && request.url.query() == nil && request.credential == nil
                ? .init(status: 403) : .init(body: Sample.png())
        }
        let token = TestHooks.request { request in
            var request = request
            request.headers[.authorization] = "Bearer token"
            return request
        }
        let isValid = Lock(false)
        let session = TestHooks.request { request in
            var request = request
            if isValid.withLock({ $0 }) { request.headers[.authorization] = "Bearer token" }
            return request
        }
        #expect(try await failure().reason == .status(403))
        _ = try await test.pipeline.image(from: url, options: [.hooks(token), .noCache])
        #expect(try await failure([.hooks(session)]).reason == .status(403))
        isValid.withLock { $0 = true }
        _ = try await test.pipeline.image(from: url, options: [.hooks(session)])
        let other = try await failure([.acceptedStatusCodes(200..<300), .cacheMemoryOnly])
        #expect(other.reason == .status(403))
        let accepting: [ImageOption] = [.acceptedStatusCodes(200..<500), .cacheMemoryOnly]
        #expect(try await failure(accepting).reason == .emptyBody)
    }

    @Test("is ignored by a forced refresh, and forgets what succeeds")
    func forceRefresh() async throws {
        test.transport.serve(url, Data(), status: 404)
        _ = try await failure()
        test.transport.serve(url, Sample.png())
        _ = try await test.pipeline.image(from: url, options: [.forceRefresh, .cacheMemoryOnly])
        #expect(memory.count == 0)
    }

    @Test("does not hide what a cache has")
    func cached() async throws {
        test.transport.serve(url, Sample.png())
        _ = try await test.pipeline.image(from: url, options: [.waitForCache])
        test.transport.serve(url, Data(), status: 403)
        _ = try await failure([.forceRefresh])
        #expect(memory.failure(for: url) != nil)
        test.pipeline.cache.removeAllFromMemory()
        #expect(try await test.pipeline.response(for: url).source == .disk)
    }

    @Test("holds a damaged frame against no other frame, and leaves the others on disk")
    func damagedFrame() async throws {
        let codecs = ImageCodecs.standard.registering(decoder: GatedFrameDecoder(damagedFrame: 1))
        let test = TestPipeline(
            codecs: codecs,
            recovery: RecoveryConfiguration(clock: clock, failureMemory: memory)
        )
        let data = AnimationSample.data(frameCount: 2)
        func failure(_ options: [ImageOption]) async throws -> ImageError {
            try await test.pipeline.task(for: url, options: options).failure()
        }
        test.transport.serve(url, data)
        _ = try await test.pipeline.response(for: url, options: [.waitForCache])
        #expect(try await failure([.frame(1)]).code == "corrupt")
        await test.settle()
        test.pipeline.cache.removeAllFromMemory()
        #expect(try await test.pipeline.response(for: url).source == .disk)
        #expect(try await failure([.frame(1), .forceRefresh]).code == "corrupt")
        try await test.pipeline.cache.removeAll()
        #expect(try await failure([.frame(1)]).code == "failedBefore")
        #expect(try await test.pipeline.cache.store(data, for: ImageRequest(url)))
        let frame = ImageRequest(url, options: [.frame(1)])
        #expect(try await test.pipeline.cache.entry(for: frame, codecs: codecs) == nil)
        #expect(try await test.pipeline.cache.diskStatistics().count == 1)
    }

    @Test("keeps bytes that are no image, but not those that are only too large for the options")
    func useless() async throws {
        test.transport.serve(url, Data("<html>".utf8))
        _ = try await failure()
        #expect(try await failure().code == "failedBefore")
        let large = Sample.url()
        test.transport.serve(large, Sample.png())
        let limits = ImageOption { $0.decode.limits.pixelCount = 1 }
        _ = try await test.pipeline.task(for: large, options: [limits]).failure()
        #expect(memory.failure(for: large) == nil)
    }

    @Test(
        "keeps no failure that does not concern the image",
        arguments: [TransferError.cannotConnect("refused"), .timedOut(.idle), .connectionLost("reset")]
    )
    func connectivity(error: TransferError) async throws {
        test.transport.setRoute(url, .init(error: error))
        _ = try await failure()
        #expect(memory.count == 0)
    }

    @Test("keeps no cancellation")
    func cancelled() async throws {
        let task = test.pipeline.task(for: url)
        _ = await test.transport.nextTransfer()
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.response }
        await test.settle()
        #expect(memory.count == 0)
    }

    @Test("holds a failure against no other configuration of the downloader, and finds it again by its URL")
    func configurations() async throws {
        let downloader = test.pipeline.configuration.downloader
        test.transport.setAnswer { request in
            request.headers[.authorization] == nil ? .init(status: 403) : .init(body: Sample.png())
        }
        #expect(try await failure([.noCache]).reason == .status(403))
        #expect(memory.failure(for: url)?.reason == .status(403))
        var configuration = downloader.configuration
        configuration.name = "renamed"
        downloader.updateConfiguration(configuration)
        #expect(try await failure([.cacheMemoryOnly]).code == "failedBefore")
        configuration.policy.headers[.authorization] = "Bearer token"
        downloader.updateConfiguration(configuration)
        _ = try await test.pipeline.image(from: url, options: [.cacheMemoryOnly])
        downloader.updateConfiguration(configuration, transport: test.transport)
        test.transport.serve(url, Data(), status: 404)
        #expect(try await failure([.forceRefresh]).reason == .status(404))
        #expect(memory.failure(for: url)?.reason == .status(404))
        #expect(memory.count == 2)
        memory.remove(url)
        #expect(memory.count == 0)
    }

    @Test("keeps a failure for as long as the server asks")
    func retryAfter() async throws {
        test.transport.setRoute(url, .init(status: 503, headers: [.retryAfter: "600"]))
        _ = try await failure()
        clock.advance(by: .seconds(599))
        #expect(memory.failure(for: url)?.reason == .status(503))
        clock.advance(by: .seconds(1))
        #expect(memory.failure(for: url) == nil)
    }

    @Test("forgets one URL or all, and never keeps more than it may")
    func removal() {
        let memory = FailureMemory(capacity: 3, clock: clock)
        let urls = (0..<4).map { _ in Sample.url() }
        for url in urls {
            let error = ImageError(stage: .load, reason: .status(404), source: "\(url)")
            memory.record(error, for: FailedRequest(TransferRequest(url: url), generation: generation))
        }
        #expect(memory.count == 3)
        #expect(memory.failure(for: urls[0]) == nil)
        memory.remove(urls[1])
        #expect(memory.failure(for: urls[1]) == nil)
        #expect(memory.failure(for: urls[2]) != nil)
        memory.removeAll()
        #expect(memory.count == 0)
    }

    @Test("treats requests with other bodies as different, and keeps no body")
    func bodies() {
        func request(_ body: String) -> FailedRequest {
            let body = Data(repeating: 7, count: 100_000) + Data(body.utf8)
            return FailedRequest(TransferRequest(url: url, method: .post, body: body), generation: generation)
        }
        let error = ImageError(stage: .load, reason: .status(403), source: "\(url)")
        memory.record(error, for: request("a"))
        #expect(memory.failure(for: request("a")) == error && memory.failure(for: request("b")) == nil)
        #expect(request("a").transfer.body.map(\.count) == 64)
    }

    @Test("knows a URL in whatever spelling")
    func spellings() throws {
        let error = ImageError(stage: .load, reason: .status(403), source: "x")
        let first = try #require(URL(string: "HTTP://Example.org:80/%61#b"))
        let second = try #require(URL(string: "http://example.org/a"))
        memory.record(error, for: FailedRequest(TransferRequest(url: first), generation: generation))
        #expect(memory.failure(for: second) == error && memory.failure(for: first) == error)
        memory.remove(second)
        #expect(memory.count == 0)
    }

    @Test("treats requests with other headers as different")
    func identity() {
        let error = ImageError(stage: .load, reason: .status(403), source: "\(url)")
        memory.record(error, for: FailedRequest(TransferRequest(url: url), generation: generation))
        #expect(
            memory.failure(
                for: FailedRequest(
                    TransferRequest(url: url, headers: [.authorization: "Bearer x"]),
                    generation: generation
                )
            ) == nil
        )
        let urgent = FailedRequest(TransferRequest(url: url, priority: .high), generation: generation)
        #expect(memory.failure(for: urgent) == error)
    }

    @Test("does not fail a load whose options add a credential")
    func credential() async throws {
        test.transport.serve(url, Data(), status: 403)
        _ = try await failure()
        test.transport.serve(url, Sample.png())
        let credential = ImageOption.headers([.authorization: "Bearer x"])
        #expect(try await test.pipeline.response(for: url, options: [credential]).source == .network)
        #expect(memory.failure(for: url)?.reason == .status(403))
    }

    @Test("does not keep a metered network from its low-data source", arguments: [false, true])
    func metered(ignoresServer: Bool) async throws {
        let network = ManualNetwork(isMetered: true)
        let recovery = RecoveryConfiguration(network: network, clock: clock, failureMemory: memory)
        let test = TestPipeline(recovery: recovery)
        let small = Sample.url()
        test.transport.serve(small, Sample.png(8, 8))
        let error = ImageError(stage: .load, reason: .status(404), source: "\(url)")
        let generation = test.pipeline.configuration.downloader.setup.generation
        memory.record(error, for: FailedRequest(TransferRequest(url: url), generation: generation))
        let options: [ImageOption] = ignoresServer ? [.ignoringServer] : []
        let response = try await test.pipeline.response(
            for: url,
            options: options + [.lowDataSource(.url(small))]
        )
        #expect(response.substitution?.failures.map(\.error.reason) == [.meteredNetwork])
        #expect(test.transport.startedCount == 1)
    }

    @Test("lets alternatives take the place of what failed before")
    func alternatives() async throws {
        let other = Sample.url()
        test.transport.serve(url, Data(), status: 404)
        test.transport.serve(other, Sample.png())
        _ = try await failure()
        let response = try await test.pipeline.response(for: url, options: [.alternativeSources([.url(other)])])
        #expect(response.substitution?.failures.map(\.error.reason) == [.failedBefore(.status(404))])
        #expect(test.transport.startedCount(url) == 1)
    }
}
