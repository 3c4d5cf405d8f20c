import FoundationEssentials
import HTTPTypes
import HalcyonTesting
import Testing

@testable import Halcyon

@Suite("A credential that is not known when the caches are read")
struct HiddenCredentialTests {
    private let users = TwoUsers()

    private func modifier(_ user: Int, scope: String? = nil) -> ImageOption {
        .requestModifier(
            RequestModifier(cacheScope: scope) { request in
                var request = request
                request.headers[.authorization] = TwoUsers.secrets[user]
                return request
            }
        )
    }

    private func owners(_ test: TestPipeline, _ options: [[ImageOption]]) async throws -> [Int] {
        var owners: [Int] = []
        for options in options {
            owners.append(try await test.pipeline.response(for: users.url, options: ImageOptions(options)).image.owner)
            await test.settle()
        }
        return owners
    }

    @Test("of a modifier brings an image for no other request", arguments: [[], [ImageOption.ignoringServer]])
    func modifiers(options: [ImageOption]) async throws {
        let test = users.pipeline()
        let both = [options + [modifier(0)], options + [modifier(1)], options]
        #expect(try await owners(test, both + both) == [1, 2, 9, 9, 9, 9])
    }

    @Test("of a modifier that names a scope brings images that are found again, each for its scope")
    func scopes() async throws {
        let test = users.pipeline()
        let both = [[modifier(0, scope: "one")], [modifier(1, scope: "two")]]
        #expect(try await owners(test, both + both) == [1, 2, 1, 2])
        test.pipeline.cache.removeAllFromMemory()
        #expect(try await owners(test, both) == [1, 2])
        #expect(test.transport.startedCount == 2)
        #expect(try await owners(test, [[modifier(1), .cacheScope("one")], []]) == [1, 9])
    }

    @Test("of a modifier does not matter where the image is the same for all")
    func shared() async throws {
        let test = users.pipeline()
        #expect(try await owners(test, [[modifier(0), .sharedAcrossCredentials], []]) == [1, 1])
        #expect(test.transport.startedCount == 1)
    }

    @Test("is none if a modifier adds something else, and the image is cached as usual")
    func harmless() async throws {
        let test = users.pipeline()
        let modifier = ImageOption.requestModifier(
            RequestModifier { request in
                var request = request
                request.headers[.accept] = "image/png"
                return request
            }
        )
        #expect(try await owners(test, [[modifier], [modifier], []]) == [9, 9, 9])
        #expect(test.transport.startedCount == 1)
    }

    @Test("of a responder brings an image for no other request, unless a scope is named")
    func responders() async throws {
        let test = TestPipeline()
        test.transport.setAnswer { request in
            guard request.credential != nil else { return .init(status: 401) }
            return .init(body: Sample.png(seed: TwoUsers.seed(request)))
        }
        let options = (0...1).map { user in
            [ImageOption.authenticationResponder(AuthenticationResponder { _ in .bearer(TwoUsers.secrets[user]) })]
        }
        #expect(try await owners(test, options + options) == [1, 2, 1, 2])
        #expect(try await test.pipeline.cache.diskStatistics().count == 0)
        let named = options.enumerated().map { $1 + [.cacheScope("\($0)")] }
        #expect(try await owners(test, named) == [1, 2])
        let count = test.transport.startedCount
        #expect(try await owners(test, named) == [1, 2])
        #expect(test.transport.startedCount == count)
        #expect(await reason { try await test.pipeline.response(for: users.url) } == .status(401))
    }
}
