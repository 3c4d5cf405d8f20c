import FoundationEssentials
import HTTPTypes
import HalcyonTesting
import Testing

@testable import Halcyon

@Suite("An image that came over a transport with cookies")
struct CookieIdentityTests {
    /// A transport that sends the cookies of one user.
    private final class UserTransport: HTTPTransport {
        let cacheScope: String?
        private let transport: ScriptedTransport

        init(_ user: Int, over transport: ScriptedTransport) {
            cacheScope = user > 0 ? "/home/user-\(user)/cookies.txt" : nil
            self.transport = transport
        }

        func start(_ request: TransferRequest, receiver: any TransferReceiver) -> any Transfer {
            transport.start(request, receiver: receiver)
        }
    }

    private let test = TestPipeline()
    private let url = Sample.url()

    /// A pipeline of one user over the cache of all; 0 is one without cookies.
    private func pipeline(_ user: Int) -> ImagePipeline {
        var configuration = test.pipeline.configuration
        configuration.downloader = ImageDownloader(transport: UserTransport(user, over: test.transport))
        return ImagePipeline(configuration: configuration)
    }

    private func load(_ user: Int, _ options: [ImageOption] = []) async throws -> ImageResponse {
        let headers: HTTPFields = [.cacheControl: "max-age=86400"]
        test.transport.setRoute(url, .init(headers: headers, body: Sample.png(seed: user)))
        let response = try await pipeline(user).response(for: url, options: options)
        await test.settle()
        return response
    }

    @Test("is found again by its user, and by no other", arguments: [false, true])
    func owners(inMemory: Bool) async throws {
        for user in 0...2 { #expect(try await load(user).source == .network) }
        for user in 0...2 {
            if !inMemory { test.pipeline.cache.removeAllFromMemory() }
            let response = try await load(user)
            #expect(response.image.owner == user && response.source == (inMemory ? .memory : .disk))
            #expect(pipeline(user).responseFromMemory(for: url)?.image.owner == user)
        }
    }

    @Test("is asked for again where its server says that it varies with the cookies")
    func varying() async throws {
        let headers: HTTPFields = [.cacheControl: "max-age=86400", .vary: "Cookie"]
        test.transport.setRoute(url, .init(headers: headers, body: Sample.png()))
        for (user, source) in [(1, ImageResponse.Source.network), (0, .disk)] {
            for expected in [.network, source] {
                #expect(try await pipeline(user).response(for: url).source == expected)
                await test.settle()
                test.pipeline.cache.removeAllFromMemory()
            }
        }
    }

    @Test("answers all where the options say that it is the same for all")
    func sharedAcrossCredentials() async throws {
        for scope in [ImageOption.sharedAcrossCredentials, .cacheScope("family")] {
            #expect(try await load(1, [scope]).source == .network)
            #expect(try await load(2, [scope]).image.owner == 1)
        }
    }

    @Test("belongs to the credential of its request as well")
    func credential() async throws {
        let options: [ImageOption] = [.headers([.authorization: "Bearer secret"])]
        #expect(try await load(1, options).source == .network)
        #expect(try await load(1).source == .network)
        #expect(try await load(2, options).source == .network)
        #expect(try await load(1, options).source == .memory)
    }

    @Test("is found again by no other user although hooks name their effect on its bytes", arguments: [false, true])
    func hooks(inMemory: Bool) async throws {
        let options: [ImageOption] = [.hooks(TestHooks.body("decrypted-2") { data, _ in data })]
        for user in 1...2 { #expect(try await load(user, options).image.owner == user) }
        if !inMemory { test.pipeline.cache.removeAllFromMemory() }
        for user in 1...2 {
            let response = try await load(user, options)
            #expect(response.image.owner == user && response.source == (inMemory ? .memory : .disk))
        }
    }

    @Test("is not stored where hooks without an identity have a credential")
    func hidden() async throws {
        let options: [ImageOption] = [.hooks(TestHooks.credential { _ in .bearer("secret") })]
        let image = Sample.png(seed: 1)
        test.transport.setAnswer { request in
            request.credential == nil
                ? .init(status: 401, headers: [.wwwAuthenticate: "Bearer"]) : .init(body: image)
        }
        #expect(try await pipeline(1).response(for: url, options: options).source == .network)
        await test.settle()
        #expect(pipeline(1).responseFromMemory(for: url, options: options) == nil)
    }

    @Test("is of the user of the transport that the downloader has now")
    func replacedTransport() async throws {
        let user = pipeline(1)
        #expect(try await load(1).image.owner == 1)
        let downloader = user.configuration.downloader
        downloader.updateConfiguration(downloader.configuration, transport: UserTransport(2, over: test.transport))
        #expect(user.responseFromMemory(for: url) == nil)
        #expect(try await load(2).image.owner == 2)
        #expect(user.responseFromMemory(for: url)?.image.owner == 2)
        downloader.updateConfiguration(downloader.configuration, transport: test.transport)
        #expect(user.responseFromMemory(for: url) == nil)
    }
}
