import FoundationEssentials
import HTTPTypes
import HalcyonSystem
import HalcyonTesting
import Testing

@testable import Halcyon

@Suite("A request modifier")
struct DownloadModifierTests {
    private let test = TestDownloader()
    private let url = Sample.url()
    private static let rejecting = TestHooks.request { _ in nil }

    @Test("may change URL, method and headers, and the result has the new URL")
    func changes() async throws {
        let mirror = Sample.url("mirror.png")
        let policy = NetworkPolicy.with {
            $0.hooks = TestHooks.request { request in
                var request = request
                request.url = mirror
                request.method = .post
                request.headers[.authorization] = "Bearer token"
                return request
            }
        }
        let task = test.downloader.task(for: url, policy: policy)
        let transfer = await test.transport.nextTransfer()
        #expect(transfer.request.url == mirror)
        #expect(transfer.request.method == .post)
        #expect(transfer.request.headers[.authorization] == "Bearer token")
        transfer.answer(.init(body: Data([1])))
        #expect(try await task.body.response.url == mirror)
        #expect(task.request.url == url)
    }

    @Test("that rejects lets no request out, on every entry point")
    func rejects() async throws {
        let pipeline = TestPipeline()
        let options: [ImageOption] = [.hooks(Self.rejecting)]
        let policy = NetworkPolicy.with { $0.hooks = Self.rejecting }
        #expect(await reason { try await test.downloader.download(from: url, policy: policy) } == .requestRejected(nil))
        #expect(
            await reason { try await test.downloader.task(for: url, policy: policy).body } == .requestRejected(nil)
        )
        #expect(
            await reason { try await pipeline.pipeline.image(from: url, options: options) }
                == .requestRejected(nil)
        )
        #expect(
            await reason { try await pipeline.pipeline.task(for: url, options: options).response }
                == .requestRejected(nil)
        )
        #expect(
            await reason {
                try await pipeline.pipeline.data(for: url, options: options)
            } == .requestRejected(nil)
        )
        let whole = TestDownloader(policy)
        #expect(await reason { try await whole.downloader.download(from: url) } == .requestRejected(nil))
        #expect(test.transport.startedCount + pipeline.transport.startedCount + whole.transport.startedCount == 0)
        #expect(test.log.words == [])
    }

    @Test("that throws rejects with the text of its error")
    func throwing() async throws {
        struct NoToken: Error, CustomStringConvertible { let description = "no token" }
        let policy = NetworkPolicy.with { $0.hooks = TestHooks.request { _ in throw NoToken() } }
        #expect(
            await reason { try await test.downloader.download(from: url, policy: policy) }
                == .requestRejected("no token")
        )
    }

    @Test(
        "that makes the URL invalid fails with the URL, and nothing is sent",
        arguments: ["about:", "x", "http:"]
    )
    func invalidURL(text: String) async throws {
        let invalid = try #require(URL(string: text))
        let policy = NetworkPolicy.with {
            $0.hooks = TestHooks.request { request in
                var request = request
                request.url = invalid
                return request
            }
        }
        #expect(
            await reason { try await test.downloader.download(from: url, policy: policy) } == .invalidURL(text)
        )
        #expect(test.transport.startedCount == 0)
    }

    @Test("of the downloader comes before that of the request")
    func order() async throws {
        func appending(_ word: String) -> TestHooks {
            TestHooks.request { request in
                var request = request
                request.headers[.accept] = (request.headers[.accept] ?? "") + word
                return request
            }
        }
        let test = TestDownloader(.with { $0.hooks = appending("downloader,") })
        let task = test.downloader.task(for: url, policy: .with { $0.hooks = appending("request") })
        let transfer = await test.transport.nextTransfer()
        #expect(transfer.request.headers[.accept] == "downloader,request")
        task.cancel()
    }

    @Test("decides about sharing: the same one with one result shares, one with different results does not")
    func sharing() async throws {
        let unchanged = TestHooks.request(.unchanged) { $0 }
        let same = (0..<2).map { _ in test.downloader.task(for: url, policy: .with { $0.hooks = unchanged }) }
        await test.waiters(2)
        let transfer = await test.transport.nextTransfer()
        transfer.answer(.init(body: Data([1])))
        for task in same { _ = try await task.body }
        #expect(test.transport.startedCount == 1)

        let count = Lock(0)
        let signing = TestHooks.request(.unchanged) { request in
            var request = request
            request.headers[.authorization] = "\(count.withLock { $0 += 1; return $0 })"
            return request
        }
        let different = (0..<2).map { _ in
            test.downloader.task(for: url, policy: .with { $0.hooks = signing })
        }
        for _ in 0..<2 { await test.transport.nextTransfer().answer(.init(body: Data([1]))) }
        for task in different { _ = try await task.body }

        let unnamed = TestHooks.request { $0 }
        let alone = (0..<2).map { _ in test.downloader.task(for: url, policy: .with { $0.hooks = unnamed }) }
        for _ in 0..<2 { await test.transport.nextTransfer().answer(.init(body: Data([1]))) }
        for task in alone { _ = try await task.body }
    }

    @Test("is part of the identity of a pipeline's work, by value or by closure")
    func pipelineIdentity() {
        let closure = TestHooks.request { $0 }
        func policy(_ modifier: some DownloadHooks) -> NetworkPolicy { .with { $0.hooks = modifier } }
        #expect(policy(closure) == policy(closure))
        #expect(policy(closure) != policy(TestHooks.request { $0 }))
        #expect(policy(Signing(key: 1)) == policy(Signing(key: 1)))
        #expect(policy(Signing(key: 1)) != policy(Signing(key: 2)))
        // Both live at the same time: the object that stands for the value ends with the last policy that has it.
        let (first, second) = (policy(Signing(key: 1)), policy(Signing(key: 1)))
        #expect(first.hashValue == second.hashValue)
        var reset = policy(closure)
        reset.hooks = nil
        #expect(reset == NetworkPolicy())
    }

    private struct Signing: DownloadHooks {
        let key: Int
        let cacheIdentity: DownloadIdentity? = nil

        func modified(_ request: TransferRequest) async -> TransferRequest? { request }
    }
}
