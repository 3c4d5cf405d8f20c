import FoundationEssentials
import HTTPTypes
import HalcyonTesting
import Testing

@testable import Halcyon

@Suite("An image that came with cookies of a store")
struct CookieIdentityTests {
    private let test = TestPipeline()
    private let url = Sample.url()

    /// A store with one cookie for the test's URL; its value is the number of the user.
    private func store(_ user: Int) -> CookieStore {
        let store = CookieStore()
        store.receive([.setCookie: "user=\(user); Path=/"], from: url)
        return store
    }

    /// Serves each user an image of its own, and 9 to a request without cookies.
    private func serve() {
        test.transport.setAnswer { request in
            let user = request.headers[.cookie].flatMap { Int($0.dropFirst("user=".count)) }
            return .init(headers: [.cacheControl: "max-age=86400"], body: Sample.png(seed: user ?? 9))
        }
    }

    private func load(_ store: CookieStore?, _ options: [ImageOption] = []) async throws -> ImageResponse {
        let options = ImageOptions().applying(options + [.cookies(store)])
        let response = try await test.pipeline.response(for: url, options: options)
        await test.settle()
        return response
    }

    @Test("is found again with them, and with others or none it is not", arguments: [false, true])
    func owners(inMemory: Bool) async throws {
        serve()
        let stores: [CookieStore?] = [store(1), store(2), nil]
        for (store, owner) in zip(stores, [1, 2, 9]) {
            #expect(try await load(store).image.owner == owner)
        }
        for (store, owner) in zip(stores, [1, 2, 9]) {
            if !inMemory { test.pipeline.cache.removeAllFromMemory() }
            let response = try await load(store)
            #expect(response.image.owner == owner && response.source == (inMemory ? .memory : .disk))
            let options = ImageOptions().applying([.cookies(store)])
            #expect(test.pipeline.responseFromMemory(for: url, options: options)?.image.owner == owner)
        }
        #expect(test.transport.startedCount == 3)
    }

    @Test("is not given to the same store once its cookies are others")
    func changed() async throws {
        serve()
        let store = store(1)
        #expect(try await load(store).image.owner == 1)
        store.receive([.setCookie: "user=2; Path=/"], from: url)
        #expect(test.pipeline.responseFromMemory(for: url, options: [.cookies(store)]) == nil)
        #expect(try await load(store).image.owner == 2)
    }

    @Test("is known by the cookies that were sent, whatever was set meanwhile")
    func setMeanwhile() async throws {
        let store = store(1)
        let task = test.pipeline.task(for: url, options: [.cookies(store)])
        let transfer = await test.transport.nextTransfer()
        #expect(transfer.request.headers[.cookie] == "user=1")
        store.receive([.setCookie: "user=2; Path=/"], from: url)
        transfer.answer(.init(headers: [.cacheControl: "max-age=86400"], body: Sample.png(seed: 1)))
        #expect(try await task.image.owner == 1)
        await test.settle()
        serve()
        #expect(try await load(store).image.owner == 2)
    }

    @Test("is cached for nobody where a redirect was sent other cookies than the request shows")
    func redirect() async throws {
        let store = CookieStore()
        // Follows redirects also where no store asks for that: the scripted transport does not.
        let following = ImageOption.hooks(TestHooks.redirect(.unchanged) { $1 })
        let host = try #require(URL(string: "https://elsewhere.example/a"))
        store.receive([.setCookie: "user=1; Path=/"], from: host)
        test.transport.setRoute(url, .init(status: 302, headers: [.location: host.absoluteString]))
        test.transport.setAnswer { request in
            .init(
                headers: [.cacheControl: "max-age=86400"],
                body: Sample.png(seed: request.headers[.cookie] == nil ? 9 : 1)
            )
        }
        #expect(try await load(store, [following]).image.owner == 1)
        #expect(try await load(nil, [following]).image.owner == 9)
        #expect(try await load(nil, [following]).source == .memory)
        // A scope says whose it is.
        #expect(try await load(store, [following, .cacheScope("one")]).image.owner == 1)
        #expect(try await load(store, [following, .cacheScope("one")]).source == .memory)
    }

    @Test("belongs to the downloader's store where the request names none")
    func ofDownloader() async throws {
        let shared = store(3)
        let other = TestPipeline(downloads: .with { $0.cookies = shared })
        other.transport.setAnswer { request in
            .init(body: Sample.png(seed: request.headers[.cookie] == "user=3" ? 3 : 4))
        }
        #expect(try await other.pipeline.image(from: url).owner == 3)
        await other.settle()
        #expect(other.pipeline.responseFromMemory(for: url)?.image.owner == 3)
        #expect(try await other.pipeline.image(from: url, options: [.cookies(store(4))]).owner == 4)
    }
}
