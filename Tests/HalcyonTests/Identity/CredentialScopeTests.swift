import FoundationEssentials
import HTTPTypes
import HalcyonTesting
import Testing

@testable import Halcyon

@Suite("An image that a server gave for a credential")
struct CredentialScopeTests {
    private let users = TwoUsers()

    private func load(
        _ test: TestPipeline,
        _ carrier: TwoUsers.Carrier,
        user: Int,
        _ more: [ImageOption] = []
    ) async throws -> ImageResponse {
        let (source, options) = try users.request(carrier, user: user)
        let response = try await test.pipeline.response(for: ImageRequest(source, options: options + more))
        await test.settle()
        return response
    }

    @Test("is found again for it, and for no other, in memory and on disk", arguments: TwoUsers.Carrier.allCases)
    func isolation(carrier: TwoUsers.Carrier) async throws {
        for options in [[], [ImageOption.processor(.crop(to: .pixels(8, 8), anchor: .topLeft))]] {
            let tests = [users.pipeline(carrier, user: 0), users.pipeline(carrier, user: 1)]
            for (user, test) in tests.enumerated() {
                #expect(try await load(test, carrier, user: user, options).image.owner == user + 1)
            }
            // Each user again, from memory and from disk.
            for (origin, user) in [(ImageResponse.Source.memory, 0), (.memory, 1), (.disk, 0), (.disk, 1)] {
                if origin == .disk { tests[user].pipeline.cache.removeAllFromMemory() }
                let response = try await load(tests[user], carrier, user: user, options)
                #expect(response.image.owner == user + 1)
                #expect(response.source == origin)
            }
            try await tests[0].pipeline.cache.removeAll()
        }
    }

    @Test("is given to no request for another host that is named beside the URL")
    func hostHeader() throws {
        let (name, url) = (try #require(HTTPField.Name("Host")), Sample.url())
        func key(_ host: String?) -> OriginalKey? {
            var request = TransferRequest(url: url)
            request.headers[name] = host
            return OriginalKey(.request(request), options: ImageOptions())
        }
        #expect(key("a.example") != key("b.example"))
        #expect(key("a.example") != key(nil))
        #expect(key("a.example") == key("A.example"))
        #expect(key("a.example")?.namedAudience == nil)
    }

    @Test("is given to no other of the same pipeline", arguments: TwoUsers.Carrier.allCases)
    func onePipeline(carrier: TwoUsers.Carrier) async throws {
        guard carrier != .defaultHeader, carrier != .downloaderHeader else { return }
        let test = users.pipeline()
        for origin in [ImageResponse.Source.network, .memory, .disk] {
            if origin == .disk { test.pipeline.cache.removeAllFromMemory() }
            for user in 0...1 {
                let response = try await load(test, carrier, user: user)
                #expect(response.image.owner == user + 1)
                #expect(response.source == origin)
            }
        }
        #expect(test.transport.startedCount == 2)
    }

    @Test("is not given to a request without a credential, nor the reverse", arguments: TwoUsers.Carrier.allCases)
    func anonymous(carrier: TwoUsers.Carrier) async throws {
        let test = users.pipeline(carrier, user: 0)
        let plain = users.pipeline()
        for _ in 0..<2 {
            #expect(try await load(test, carrier, user: 0).image.owner == 1)
            #expect(try await plain.pipeline.response(for: users.url).image.owner == 9)
            await plain.settle()
        }
        plain.pipeline.cache.removeAllFromMemory()
        test.pipeline.cache.removeAllFromMemory()
        #expect(try await load(test, carrier, user: 0).image.owner == 1)
        #expect(try await plain.pipeline.response(for: users.url).image.owner == 9)
    }

    @Test("shares no running work with that for another")
    func work() async throws {
        let test = TestPipeline()
        let tasks = try (0...1).map { user in
            let (source, options) = try users.request(.authorization, user: user)
            return test.pipeline.task(for: ImageRequest(source, options: options))
        }
        for _ in 0...1 {
            let transfer = await test.transport.nextTransfer()
            transfer.answer(.init(body: Sample.png(seed: TwoUsers.seed(transfer.request))))
        }
        for (user, task) in tasks.enumerated() { #expect(try await task.image.owner == user + 1) }
    }

    @Test("is distinguished although the source has a cache key")
    func cacheKey() async throws {
        let test = users.pipeline()
        for user in [0, 1, 0, 1] {
            let request = TransferRequest(url: users.url, headers: [.authorization: TwoUsers.secrets[user]])
            let source = Source.request(request, cacheKey: "avatar")
            #expect(try await test.pipeline.response(for: ImageRequest(source)).image.owner == user + 1)
        }
        #expect(test.transport.startedCount == 2)
    }

    @Test("of a named scope is found after the token was renewed and the program was started again")
    func namedScope() async throws {
        let first = users.pipeline()
        #expect(try await load(first, .authorization, user: 0, [.cacheScope("user-42")]).source == .network)
        let second = users.pipeline()
        let renewed = try await load(second, .authorization, user: 1, [.cacheScope("user-42")])
        #expect(renewed.source == .disk)
        #expect(renewed.image.owner == 1)
        // The scope counts, not the credential.
        #expect(try await load(second, .authorization, user: 1, [.cacheScope("user-43")]).image.owner == 2)
        #expect(try await load(second, .authorization, user: 1).image.owner == 2)
        #expect(second.transport.startedCount == 2)
    }

    @Test("is found after the program was started again, by the same credential")
    func restart() async throws {
        _ = try await load(users.pipeline(), .credential, user: 0)
        let again = users.pipeline()
        #expect(try await load(again, .credential, user: 0).source == .disk)
        #expect(try await load(again, .credential, user: 1).source == .network)
    }

    @Test("is public if the options say so")
    func shared() async throws {
        let test = users.pipeline()
        for carrier in [TwoUsers.Carrier.user, .authorization, .credential] {
            for user in 0...1 {
                #expect(try await load(test, carrier, user: user, [.sharedAcrossCredentials]).image.owner == 1)
            }
        }
        #expect(try await test.pipeline.response(for: users.url).image.owner == 1)
        #expect(test.transport.startedCount == 1)
    }

    @Test("leaves nothing of the credential in the cache folder", arguments: TwoUsers.Carrier.allCases)
    func secrecy(carrier: TwoUsers.Carrier) async throws {
        let test = users.pipeline(carrier, user: 0)
        _ = try await load(test, carrier, user: 0)
        #expect(try await test.pipeline.cache.storedImages().map(\.hasScope) == [true])
        #expect(try await !test.pipeline.cache.storedImages().contains { $0.original.contains("@") })
        try expectNoSecret()
    }

    private func expectNoSecret() throws {
        let files = try FileManager.default.subpathsOfDirectory(atPath: users.path)
        for file in files {
            guard let data = try? Data(contentsOf: URL(filePath: "\(users.path)/\(file)")) else { continue }
            #expect(data.firstRange(of: Data(TwoUsers.secrets[0].utf8)) == nil, "\(file)")
        }
    }

    @Test("leaves nothing of the credential in what is made of an image that was stored by hand")
    func storedByHand() async throws {
        let test = users.pipeline(.user, user: 0)
        let (source, changes) = try users.request(.user, user: 0)
        let request = ImageRequest(source, options: changes)
        _ = try await test.pipeline.cache.store(Sample.png(), for: request)
        let processed = ImageRequest(source, options: changes + [.processor(.crop(to: .pixels(8, 8)))])
        #expect(try await test.pipeline.response(for: processed).source == .disk)
        #expect(try await test.pipeline.encoded(for: processed, as: .format(.png)).data.count > 0)
        await test.settle()
        #expect(try await test.pipeline.cache.storedImages().count > 1)
        try expectNoSecret()
    }

    @Test("is found, prefetched and removed by the cache's own functions with the same source and options")
    func cacheFunctions() async throws {
        let test = users.pipeline()
        let cache = test.pipeline.cache
        for carrier in [TwoUsers.Carrier.authorization, .user, .optionHeader] {
            let (source, changes) = try users.request(carrier, user: 0)
            let (other, otherChanges) = try users.request(carrier, user: 1)
            let request = ImageRequest(source, options: changes)
            let otherRequest = ImageRequest(other, options: otherChanges)
            let prefetcher = ImagePrefetcher(
                requests: [request],
                pipeline: test.pipeline,
                destination: .disk
            )
            #expect(await prefetcher.run().completed == [request])
            let repeated = ImagePrefetcher(
                requests: [request],
                pipeline: test.pipeline,
                destination: .disk
            )
            #expect(await repeated.run().skipped == [request])
            #expect(await cache.tiers(with: request) == .disk)
            #expect(await cache.tiers(with: otherRequest) == [])
            #expect(await cache.tiers(with: ImageRequest(users.url)) == [])
            #expect(try await test.pipeline.response(for: request).source == .disk)
            #expect(cache.isInMemory(request))
            #expect(cache.entryInMemory(for: request)?.image.owner == 1)
            #expect(!cache.isInMemory(otherRequest))
            #expect(try await cache.remove(for: request) == 1)
            #expect(await cache.tiers(with: request) == [])
            #expect(try await cache.store(Sample.png(seed: 5), for: otherRequest))
            #expect(try await test.pipeline.response(for: otherRequest).image.owner == 5)
            try await cache.removeAll()
        }
        // The images of a server are found by the beginning of their names, whatever their scope.
        let (source, _) = try users.request(.authorization, user: 0)
        try await cache.store(Sample.png(), for: ImageRequest(source))
        #expect(try await cache.removeAll(originalsBeginningWith: "https://images.example/") == 1)
    }

    @Test("has a key that no name without a scope can have")
    func keys() {
        let names = ["a", "a\0", "a\u{1}", "a\u{1}s", "a\u{1}sn", "a\u{1}snb", "a\u{FFFD}nb", "s", ""]
        let scopes = [nil, "n", "nb", "nb\0", "c0", "\u{1}s"]
        let keys = names.flatMap { name in
            scopes.map { ImageKey(original: OriginalKey(text: name, scope: $0), variant: nil) }
        }
        #expect(Set(keys).count == keys.count)
        #expect(Set(keys.map { Array($0.originalDiskKey.utf8) }).count == keys.count)
        for key in keys {
            #expect(ImageKey(original: key.original, variant: nil) == key)
            let parsed = ParsedDiskKey(key.processedDiskKey)
            #expect(Array(parsed.original.utf8) == Array(key.original.text.utf8))
            #expect(parsed.hasScope == (key.original.scope != nil) && parsed.isProcessed)
        }
    }
}
