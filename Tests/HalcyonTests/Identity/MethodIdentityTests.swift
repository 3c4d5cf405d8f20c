import FoundationEssentials
import HTTPTypes
import HalcyonTesting
import Testing

@testable import Halcyon

@Suite("A request that is no plain GET")
struct MethodIdentityTests {
    private let users = TwoUsers()

    private func source(_ method: HTTPRequest.Method, _ body: String?, cacheKey: String? = nil) -> Source {
        let body = body.map { Data($0.utf8) }
        return .request(TransferRequest(url: users.url, method: method, body: body), cacheKey: cacheKey)
    }

    @Test(
        "gets the image for its own body, and no other request gets that image",
        arguments: [HTTPRequest.Method.post, .get]
    )
    func bodies(method: HTTPRequest.Method) async throws {
        let test = users.pipeline()
        for _ in 0..<2 {
            for (number, body) in TwoUsers.secrets.enumerated() {
                let response = try await test.pipeline.response(for: ImageRequest(source(method, body)))
                #expect(response.image.owner == number + 1)
                #expect(response.source == .network)
                await test.settle()
            }
            #expect(try await test.pipeline.response(for: users.url).image.owner == 9)
            await test.settle()
        }
        // Only the response to the plain GET is kept.
        #expect(test.transport.startedCount == 5)
        #expect(try await test.pipeline.cache.diskStatistics().count == 1)
        #expect(await test.pipeline.cache.tiers(with: ImageRequest(source(method, TwoUsers.secrets[0]))) == [])
        #expect(
            try await !test.pipeline.cache.store(Sample.png(), for: ImageRequest(source(method, TwoUsers.secrets[0])))
        )
    }

    @Test("because the options say so is the same")
    func optionMethod() async throws {
        let test = users.pipeline()
        for _ in 0..<2 {
            #expect(try await test.pipeline.response(for: users.url, options: [.method(.post)]).source == .network)
            await test.settle()
        }
        #expect(try await test.pipeline.response(for: users.url).source == .network)
    }

    @Test("because the downloader says so is the same")
    func downloaderMethod() async throws {
        let test = TestPipeline(downloads: .with { $0.method = .post })
        TwoUsers.serve(test.transport)
        for _ in 0..<2 {
            #expect(try await test.pipeline.response(for: users.url).source == .network)
            await test.settle()
        }
        #expect(test.transport.transfers.allSatisfy { $0.request.method == .post })
    }

    @Test("is cached under a cache key of its own")
    func cacheKey() async throws {
        let test = users.pipeline()
        for _ in 0..<2 {
            for (number, body) in TwoUsers.secrets.enumerated() {
                let source = source(.post, body, cacheKey: "map \(number)")
                #expect(try await test.pipeline.response(for: ImageRequest(source)).image.owner == number + 1)
            }
        }
        #expect(test.transport.startedCount == 2)
    }

    @Test("shares a transfer with one that is equal in all, and with no other")
    func coalescing() async throws {
        let test = TestPipeline()
        let bodies = [TwoUsers.secrets[0], TwoUsers.secrets[0], TwoUsers.secrets[1]]
        let tasks = bodies.map { test.pipeline.task(for: ImageRequest(source(.post, $0))) }
        await eventually { [pipeline = test.pipeline] in pipeline.configuration.downloader.transfers.waiterCount == 3 }
        await eventually { [transport = test.transport] in transport.startedCount >= 2 }
        #expect(test.transport.startedCount == 2)
        for _ in 0..<2 {
            let transfer = await test.transport.nextTransfer()
            transfer.answer(.init(body: Sample.png(seed: TwoUsers.seed(transfer.request))))
        }
        var owners: [Int] = []
        for task in tasks { owners.append(try await task.image.owner) }
        #expect(owners == [1, 1, 2])
    }
}
