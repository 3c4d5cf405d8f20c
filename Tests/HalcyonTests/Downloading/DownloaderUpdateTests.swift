import FoundationEssentials
import HTTPTypes
import HalcyonSystem
import HalcyonTesting
import Testing

@testable import Halcyon

@Suite("A configuration that takes the place of another")
struct DownloaderUpdateTests {
    private let test = TestDownloader()
    private let url = Sample.url()

    private var downloader: ImageDownloader { test.downloader }

    private static func token(_ user: Int) -> NetworkPolicy {
        .with { $0.headers = [.authorization: "Bearer \(user)"] }
    }

    @Test("holds for transfers that begin afterwards, and those under way end under the earlier one")
    func transfers() async throws {
        let names = Lock<[String]>([])
        downloader.updateConfiguration(
            .init(name: "a", policy: Self.token(1), onEvent: { _ in names.withLock { $0.append("a") } })
        )
        let early = downloader.task(for: url)
        let first = await test.transport.nextTransfer()
        downloader.updateConfiguration(
            .init(name: "b", policy: Self.token(2), onEvent: { _ in names.withLock { $0.append("b") } })
        )
        #expect(downloader.configuration.name == "b")
        let late = downloader.task(for: url)
        let second = await test.transport.nextTransfer()
        #expect([first, second].map { $0.request.headers[.authorization] } == ["Bearer 1", "Bearer 2"])
        second.answer(.init(body: Data([2])))
        #expect(try await late.body.data == Data([2]))
        first.answer(.init(body: Data([1])))
        #expect(try await early.body.data == Data([1]))
        await eventually { names.withLock { $0.count } == 6 }
        #expect(names.withLock { $0 } == ["a", "b", "b", "b", "a", "a"])
    }

    @Test("shares transfers of the earlier one only where no answer can differ")
    func sharing() async throws {
        var configuration = ImageDownloader.Configuration()
        let first = downloader.task(for: url)
        await test.waiters(1)
        configuration.name = "another"
        configuration.memoryThreshold = 1
        downloader.updateConfiguration(configuration)
        let second = downloader.task(for: url)
        await test.waiters(2)
        #expect(downloader.transfers.count == 1)
        configuration.policy.acceptedStatusCodes = 200..<201
        downloader.updateConfiguration(configuration)
        let third = downloader.task(for: url)
        await test.waiters(3)
        #expect(downloader.transfers.count == 2)
        let other = ScriptedTransport()
        downloader.updateConfiguration(configuration, transport: other)
        let fourth = downloader.task(for: url)
        await test.waiters(4)
        #expect(downloader.transfers.count == 3)
        for transport in [test.transport, test.transport, other] {
            await transport.nextTransfer().answer(.init(body: Data([1])))
        }
        for task in [first, second, third, fourth] { _ = try await task.body }
        #expect(test.transport.startedCount == 2 && other.startedCount == 1)
    }

    @Test("has no credential of a responder that another transport's proxy or server was given")
    func answers() async throws {
        let count = Lock(0)
        let responder = TestHooks.credential { _ in
            count.withLock { $0 += 1 }
            return .bearer("token")
        }
        let policy = NetworkPolicy.with { $0.hooks = responder }
        let other = ScriptedTransport()
        for transport in [test.transport, other] {
            transport.setAnswer { request in
                request.credential == nil
                    ? .init(status: 401, headers: [.wwwAuthenticate: "Bearer"]) : .init(body: Data([1]))
            }
        }
        _ = try await downloader.download(from: url, policy: policy)
        downloader.updateConfiguration(downloader.configuration, transport: other)
        _ = try await downloader.download(from: url, policy: policy)
        #expect(count.withLock { $0 } == 2 && other.startedCount == 2)
    }

    @Test("is seen in the keys of a pipeline's images at once, and never by work that was under way")
    func pipeline() async throws {
        let test = TestPipeline(downloads: Self.token(1))
        let downloader = test.pipeline.configuration.downloader
        test.transport.setAnswer { request in
            let user = request.headers[.authorization].flatMap { Int($0.dropFirst("Bearer ".count)) }
            return .init(body: Sample.png(seed: user ?? 9))
        }
        #expect(try await test.pipeline.image(from: url).owner == 1)
        await test.settle()
        for (policy, owner) in [(Self.token(2), 2), (NetworkPolicy(), 9), (Self.token(1), 1)] {
            downloader.updateConfiguration(.init(policy: policy))
            #expect(test.pipeline.responseFromMemory(for: url)?.image.owner == (owner == 1 ? 1 : nil))
            #expect(try await test.pipeline.image(from: url).owner == owner)
            await test.settle()
            #expect(test.pipeline.responseFromMemory(for: url)?.image.owner == owner)
        }
        #expect(test.transport.startedCount == 3)
    }

    @Test("sends the transfers of loads that began before, whose images nobody else gets", arguments: [false, true])
    func betweenLoadAndTransfer(namesScope: Bool) async throws {
        let scope: [ImageOption] = namesScope ? [.cacheScope("one")] : []
        let (reached, go) = (Gate(), Gate())
        let test = TestPipeline(downloads: Self.token(1))
        let downloader = test.pipeline.configuration.downloader
        test.transport.setAnswer { request in
            let user = request.headers[.authorization].flatMap { Int($0.dropFirst("Bearer ".count)) }
            return .init(headers: [.cacheControl: "max-age=86400"], body: Sample.png(seed: user ?? 9))
        }
        // The retry holds the load between two transfers.
        test.transport.setRoute(url, .init(error: .cannotConnect("images.example")))
        let task = test.pipeline.task(
            for: url,
            options: scope + [.retry(HeldRetry(reached: reached, go: go))]
        )
        await reached.wait()
        test.transport.setRoute(url, nil)
        downloader.updateConfiguration(.init(policy: Self.token(2)))
        go.open()
        #expect(try await task.image.owner == 2)
        await test.settle()
        #expect(test.transport.transfers.last?.request.headers[.authorization] == "Bearer 2")
        downloader.updateConfiguration(.init(policy: Self.token(1)))
        #expect(test.pipeline.responseFromMemory(for: url, options: scope) == nil)
        #expect(try await test.pipeline.image(from: url, options: scope).owner == 1)
    }

    @Test("over real connections uses none that it would not have made")
    func connections() async throws {
        let server = try OriginServer { _ in .init(body: [1]) }
        defer { server.stop() }
        var configuration = ImageDownloader.Configuration()
        configuration.policy.timeouts = .download(.seconds(3600))
        let transports = (0..<2).map { number in
            var transfers = CurlTransport.Configuration()
            if number == 1 { transfers.addresses = .publicOnly }
            return CurlTransport(configuration: transfers)
        }
        defer { for transport in transports { transport.shutdown() } }
        let downloader = ImageDownloader(transport: transports[0], configuration: configuration)
        _ = try await downloader.download(from: server.url("/a"))
        downloader.updateConfiguration(configuration, transport: transports[1])
        await #expect(throws: ImageError.self) { try await downloader.download(from: server.url("/b")) }
        #expect(server.connectionCount == 1 && server.requests.count == 1)
    }
}

/// A retry strategy that waits for a test.
private struct HeldRetry: RetryStrategy {
    let reached: Gate
    let go: Gate

    func decide(_ attempt: RetryContext) async -> RetryDecision {
        reached.open()
        await go.wait()
        return .retry(after: .zero)
    }

    static func == (left: HeldRetry, right: HeldRetry) -> Bool { left.go === right.go }

    func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(go)) }
}
