import FoundationEssentials
import HalcyonTesting
import Testing

@testable import Halcyon

@Suite("A source with a cache key of its own")
struct SourceKeyTests {
    private let users = TwoUsers()

    @Test("names the image whatever its URL")
    func mirrors() async throws {
        let test = TestPipeline()
        let urls = (0...2).map { Sample.url("\($0).png") }
        test.transport.serve(urls[0], Sample.png(seed: 1))
        let sources = urls.map { Source.url($0, cacheKey: "photograph") }
        for (source, origin) in zip(sources, [ImageResponse.Source.network, .memory, .disk]) {
            if origin == .disk { test.pipeline.cache.removeAllFromMemory() }
            let response = try await test.pipeline.response(for: ImageRequest(source))
            #expect(response.source == origin)
            #expect(response.image.owner == 1)
            await test.settle()
        }
        #expect(test.transport.transfers.map(\.request.url) == [urls[0]])
        #expect(await test.pipeline.cache.tiers(with: ImageRequest(urls[0])) == [])
    }

    @Test("names bytes in memory")
    func data() async throws {
        let test = TestPipeline()
        let origins: [ImageResponse.Source] = [.data, .memory, .data, .data]
        let sources = [
            Source.data(Sample.png(seed: 1), cacheKey: "drawing"), .data(Sample.png(seed: 2), cacheKey: "drawing"),
            .data(Sample.png(seed: 1)), .data(Sample.png(seed: 1)),
        ]
        for (source, origin) in zip(sources, origins) {
            let response = try await test.pipeline.response(for: ImageRequest(source))
            #expect(response.source == origin)
            #expect(response.image.owner == 1)
            await test.settle()
        }
    }

    @Test("is distinguished by the user name in its URL", arguments: [false, true])
    func userNames(isSetLater: Bool) async throws {
        let test = users.pipeline()
        let named = users.url.absoluteString.replacing("https://", with: "https://me:\(TwoUsers.secrets[0])@")
        let url = try #require(URL(string: named))
        var source = Source.url(url, cacheKey: isSetLater ? nil : "avatar")
        source.cacheKey = "avatar"
        let plain = Source.url(users.url, cacheKey: "avatar")
        for origin in [ImageResponse.Source.network, .memory] {
            for (source, owner) in [(plain, 9), (source, 1)] {
                let response = try await test.pipeline.response(for: ImageRequest(source))
                #expect(response.image.owner == owner)
                #expect(response.source == origin)
            }
        }
    }

    @Test("keeps it under a rule for addresses, even if it looks like one")
    func keyRules() async throws {
        let test = TestPipeline()
        let sources = (1...2).map { number in
            let url = Sample.url()
            test.transport.serve(url, Sample.png(seed: number))
            return Source.url(url, cacheKey: "https://images.example/p?id=\(number)")
        }
        let rule = ImageOption.cacheKeyRule(.ignoringQuery)
        for origin in [ImageResponse.Source.network, .memory, .disk] {
            if origin == .disk { test.pipeline.cache.removeAllFromMemory() }
            for (number, source) in sources.enumerated() {
                let response = try await test.pipeline.response(for: ImageRequest(source, options: [rule]))
                #expect(response.image.owner == number + 1)
                #expect(response.source == origin)
                await test.settle()
            }
        }
        #expect(await test.pipeline.cache.tiers(with: ImageRequest(sources[0], options: [rule])).contains(.memory))
    }
}
