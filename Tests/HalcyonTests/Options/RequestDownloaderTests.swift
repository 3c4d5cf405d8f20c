import FoundationEssentials
import HTTPTypes
import HalcyonTesting
import Testing

@testable import Halcyon

@Suite("A downloader of a request")
struct RequestDownloaderTests {
    private let test = TestPipeline()
    private let url = Sample.url()
    private let transport = ScriptedTransport()

    private func downloader(_ policy: NetworkPolicy = NetworkPolicy()) -> ImageDownloader {
        ImageDownloader(transport: transport, configuration: .init(policy: policy))
    }

    private func owners(_ downloaders: [ImageDownloader]) async throws -> [Int] {
        var owners: [Int] = []
        for downloader in downloaders {
            owners.append(try await test.pipeline.image(from: url, options: [.downloader(downloader)]).owner)
            await test.settle()
        }
        return owners
    }

    @Test("loads the image")
    func loads() async throws {
        transport.serve(url, Sample.png(seed: 7))
        let response = try await test.pipeline.response(for: url, options: [.downloader(downloader())])
        #expect(response.image.bitmap.pixel(0, 0)[0] == 7 && response.source == .network)
        #expect(transport.startedCount == 1 && test.transport.startedCount == 0)
    }

    @Test("loads the original and the response to another method than GET as well")
    func otherLoads() async throws {
        transport.setAnswer { _ in .init(body: Sample.png()) }
        let options: [ImageOption] = [.downloader(downloader())]
        _ = try await test.pipeline.data(for: url, options: options)
        _ = try await test.pipeline.response(for: Sample.url(), options: options + [.method(.post)])
        #expect(transport.startedCount == 2 && test.transport.startedCount == 0)
    }

    @Test("finds in memory and on disk what another downloader loaded")
    func oneKey() async throws {
        transport.serve(url, Sample.png())
        _ = try await test.pipeline.response(for: url, options: [.downloader(downloader())])
        await test.settle()
        #expect(try await test.pipeline.response(for: url).source == .memory)
        #expect(try await test.pipeline.response(for: url, options: [.downloader(downloader())]).source == .memory)
        #expect(test.pipeline.responseFromMemory(for: url, options: [.downloader(downloader())]) != nil)
        test.pipeline.cache.removeAllFromMemory()
        #expect(try await test.pipeline.response(for: url, options: [.downloader(downloader())]).source == .disk)
        #expect(transport.startedCount == 1 && test.transport.startedCount == 0)
    }

    @Test("that changes bytes loads an image that no request without it finds", arguments: [nil, "other"])
    func dataModifier(identity: DownloadIdentity?) async throws {
        let changed = Sample.png(seed: 7)
        var policy = NetworkPolicy()
        policy.hooks = TestHooks.body(identity) { _, _ in changed }
        let options: [ImageOption] = [.downloader(downloader(policy))]
        transport.serve(url, Sample.png(seed: 1))
        test.transport.serve(url, Sample.png(seed: 1))
        for isFirst in [true, false] {
            let response = try await test.pipeline.response(for: url, options: options)
            #expect(response.image.bitmap.pixel(0, 0)[0] == 7)
            #expect((response.source == .network) == (isFirst || identity == nil))
            await test.settle()
            #expect(try await test.pipeline.response(for: url).image.bitmap.pixel(0, 0)[0] == 1)
            await test.settle()
        }
        test.pipeline.cache.removeAllFromMemory()
        #expect(try await test.pipeline.response(for: url, options: options).image.bitmap.pixel(0, 0)[0] == 7)
        #expect(try await test.pipeline.response(for: url).image.bitmap.pixel(0, 0)[0] == 1)
    }

    @Test("shares no transfer with another downloader, and one with itself")
    func sharing() async throws {
        let own = downloader()
        let tasks = [[], [.downloader(own)], [.downloader(own)]].map { (options: [ImageOption]) in
            test.pipeline.task(for: url, options: options)
        }
        let (first, second) = (await test.transport.nextTransfer(), await transport.nextTransfer())
        await eventually { [test] in test.pipeline.stages.images.waiterCount == 3 }
        first.answer(.init(body: Sample.png(seed: 1)))
        second.answer(.init(body: Sample.png(seed: 2)))
        #expect(try await tasks[0].image.bitmap.pixel(0, 0)[0] == 1)
        #expect(try await tasks[1].image.bitmap.pixel(0, 0)[0] == 2)
        #expect(try await tasks[2].image.bitmap.pixel(0, 0)[0] == 2)
        #expect(transport.startedCount == 1 && test.transport.startedCount == 1)
    }

    @Test("adds the headers of its policy, and only requests with the same credential find the image")
    func policy() async throws {
        let own = downloader(NetworkPolicy.with { $0.headers[.authorization] = "Bearer own" })
        transport.serve(url, Sample.png(seed: 3))
        test.transport.serve(url, Sample.png(seed: 4))
        _ = try await test.pipeline.response(for: url, options: [.downloader(own)])
        #expect(transport.transfers.map { $0.request.headers[.authorization] } == ["Bearer own"])
        await test.settle()
        #expect(test.pipeline.responseFromMemory(for: url) == nil)
        #expect(try await test.pipeline.response(for: url).image.bitmap.pixel(0, 0)[0] == 4)
        #expect(test.pipeline.responseFromMemory(for: url, options: [.downloader(own)]) != nil)
        let same: [ImageOption] = [.headers([.authorization: "Bearer own"])]
        #expect(test.pipeline.responseFromMemory(for: url, options: same)?.image.bitmap.pixel(0, 0)[0] == 3)
    }

    @Test("takes the place of the pipeline's, whose policy does not count")
    func otherPolicy() async throws {
        let downloads = NetworkPolicy.with { $0.headers[.authorization] = "Bearer pipeline" }
        let test = TestPipeline(downloads: downloads)
        transport.serve(url, Sample.png())
        _ = try await test.pipeline.response(for: url, options: [.downloader(downloader())])
        #expect(transport.transfers.map { $0.request.headers[.authorization] } == [nil])
        #expect(test.pipeline.responseFromMemory(for: url) == nil)
        #expect(test.pipeline.responseFromMemory(for: url, options: [.downloader(downloader())]) != nil)
    }

    @Test("is asked although the pipeline's has failed before")
    func failures() async throws {
        let test = TestPipeline(recovery: RecoveryConfiguration(failureMemory: FailureMemory()))
        test.transport.serve(url, Data(), status: 404)
        transport.serve(url, Sample.png())
        await #expect(throws: ImageError.self) { try await test.pipeline.response(for: url) }
        #expect(try await test.pipeline.response(for: url, options: [.downloader(downloader())]).source == .network)
    }

    @Test("that fails closes no server to the pipeline's, nor the other way round")
    func circuits() async throws {
        var configuration = CircuitBreaker.Configuration()
        configuration.threshold = 1
        let breaker = CircuitBreaker(configuration, clock: ManualClock())
        let test = TestPipeline(recovery: RecoveryConfiguration(circuitBreaker: breaker))
        let own: [ImageOption] = [.downloader(downloader())]
        transport.serve(url, Data(), status: 500)
        test.transport.serve(url, Sample.png())
        #expect(await reason { try await test.pipeline.response(for: url, options: own) } == .status(500))
        #expect(breaker.state(of: url) == .closed(failures: 0))
        #expect(try await test.pipeline.data(for: url) == Sample.png())
        let refusal = await reason { try await test.pipeline.response(for: url, options: own) }
        #expect(refusal == .serverUnavailable("images.example:443"))
        breaker.reset(url)
        transport.serve(url, Sample.png())
        #expect(try await test.pipeline.response(for: url, options: own).source == .network)
    }

    @Test("whose modifier adds a credential brings an image for no other request, unless it has an identity")
    func modifiers() async throws {
        TwoUsers.serve(transport)
        func own(_ user: Int, scope: DownloadIdentity? = nil) -> ImageDownloader {
            let modifier = TestHooks.request(scope) { request in
                var request = request
                request.headers[.authorization] = TwoUsers.secrets[user]
                return request
            }
            return downloader(NetworkPolicy.with { $0.hooks = modifier })
        }
        let unnamed = [own(0), own(1)]
        #expect(try await owners(unnamed + unnamed) == [1, 2, 1, 2])
        let named = [own(0, scope: "one"), own(1, scope: "two")]
        #expect(try await owners(named + named) == [1, 2, 1, 2])
        #expect(transport.startedCount == 6)
        test.transport.serve(url, Sample.png(seed: 9))
        #expect(try await test.pipeline.image(from: url).owner == 9)
    }

    @Test("whose responder supplies a credential brings an image for no other request, unless it has an identity")
    func responders() async throws {
        transport.setAnswer { request in
            guard request.credential != nil else { return .init(status: 401) }
            return .init(body: Sample.png(seed: TwoUsers.seed(request)))
        }
        func own(_ user: Int, scope: DownloadIdentity? = nil) -> ImageDownloader {
            let responder = TestHooks.credential(scope) { _ in .bearer(TwoUsers.secrets[user]) }
            return downloader(NetworkPolicy.with { $0.hooks = responder })
        }
        let unnamed = [own(0), own(1)]
        #expect(try await owners(unnamed + unnamed) == [1, 2, 1, 2])
        let named = [own(0, scope: "one"), own(1, scope: "two")]
        #expect(try await owners(named) == [1, 2])
        let count = transport.startedCount
        #expect(try await owners(named) == [1, 2])
        #expect(transport.startedCount == count)
        test.transport.serve(url, Sample.png(seed: 9))
        #expect(try await test.pipeline.image(from: url).owner == 9)
    }

    @Test("whose modifier changes bytes has them cached under its name, or not at all", arguments: [nil, "five"])
    func bytes(name: DownloadIdentity?) async throws {
        let body = Sample.png(seed: 5)
        let modifier = TestHooks.body(name) { _, _ in body }
        let own = downloader(NetworkPolicy.with { $0.hooks = modifier })
        transport.serve(url, Data([1]))
        #expect(try await owners([own, own]) == [5, 5])
        #expect(transport.startedCount == (name == nil ? 2 : 1))
        test.transport.serve(url, Sample.png(seed: 9))
        #expect(try await test.pipeline.image(from: url).owner == 9)
    }
}
