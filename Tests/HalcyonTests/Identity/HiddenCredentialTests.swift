import FoundationEssentials
import HTTPTypes
import HalcyonSystem
import HalcyonTesting
import Testing

@testable import Halcyon

@Suite("A credential that is not known when the caches are read")
struct HiddenCredentialTests {
    private let users = TwoUsers()

    private func modifier(_ user: Int, scope: DownloadIdentity? = nil) -> ImageOption {
        .hooks(
            TestHooks.request(scope) { request in
                var request = request
                request.headers[.authorization] = TwoUsers.secrets[user]
                return request
            }
        )
    }

    private func owners(_ test: TestPipeline, _ options: [[ImageOption]]) async throws -> [Int] {
        var owners: [Int] = []
        for options in options {
            owners.append(try await test.pipeline.response(for: users.url, options: options).image.owner)
            await test.settle()
        }
        return owners
    }

    @Test("of a modifier brings an image for no other request", arguments: [[], [ImageOption.ignoringServer]])
    func modifiers(options: [ImageOption]) async throws {
        let test = users.pipeline()
        let both = [options + [modifier(0)], options + [modifier(1)], options]
        #expect(try await owners(test, both + both) == [1, 2, 9, 1, 2, 9])
        #expect(test.transport.startedCount == 5)
    }

    @Test("of a modifier that names a scope brings images that are found again, each for its scope")
    func scopes() async throws {
        let test = users.pipeline()
        let both = [[modifier(0, scope: "one")], [modifier(1, scope: "two")]]
        #expect(try await owners(test, both + both) == [1, 2, 1, 2])
        test.pipeline.cache.removeAllFromMemory()
        #expect(try await owners(test, both) == [1, 2])
        #expect(test.transport.startedCount == 2)
        // One user's, whoever names it.
        #expect(try await owners(test, [[modifier(1, scope: "one")], []]) == [1, 9])
    }

    @Test("does not matter where the image is the same without the hooks")
    func shared() async throws {
        let test = users.pipeline()
        #expect(try await owners(test, [[modifier(0, scope: .unchanged)], []]) == [1, 1])
        #expect(test.transport.startedCount == 1)
    }

    @Test("keeps the image out of caches also where the options name a scope, or all")
    func unnamed() async throws {
        for option in [ImageOption.cacheScope("one"), .sharedAcrossCredentials] {
            let test = users.pipeline()
            #expect(try await owners(test, [[modifier(0), option], [option], [modifier(1), option]]) == [1, 9, 2])
        }
    }

    @Test("is reported once where the hooks have no identity")
    func report() async throws {
        let test = users.pipeline()
        let reports = Lock<[String]>([])
        let observer = LoadObserver { observation in
            if case .hooksWithoutIdentity(let type) = observation.activity { reports.withLock { $0.append(type) } }
        }
        let options = [modifier(0, scope: "one"), modifier(0), modifier(1)].map { [$0, .observers(observer)] }
        _ = try await owners(test, options)
        #expect(reports.withLock { $0 } == ["TestHooks"])
    }

    @Test("of a responder brings an image for no other request, unless it has an identity")
    func responders() async throws {
        let test = TestPipeline()
        test.transport.setAnswer { request in
            guard request.credential != nil else { return .init(status: 401) }
            return .init(body: Sample.png(seed: TwoUsers.seed(request)))
        }
        func responders(_ identities: [DownloadIdentity?]) -> [[ImageOption]] {
            identities.enumerated().map { user, identity in
                [.hooks(TestHooks.credential(identity) { _ in .bearer(TwoUsers.secrets[user]) })]
            }
        }
        let options = responders([nil, nil])
        #expect(try await owners(test, options + options) == [1, 2, 1, 2])
        #expect(try await test.pipeline.cache.diskStatistics().count == 0)
        let named = responders(["0", "1"])
        #expect(try await owners(test, named) == [1, 2])
        let count = test.transport.startedCount
        #expect(try await owners(test, named) == [1, 2])
        #expect(test.transport.startedCount == count)
        #expect(await reason { try await test.pipeline.response(for: users.url) } == .status(401))
    }
}
