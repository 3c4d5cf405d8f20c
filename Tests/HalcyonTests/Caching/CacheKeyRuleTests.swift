import FoundationEssentials
import HalcyonSystem
import HalcyonTesting
import Testing

@testable import Halcyon

@Suite("Rules for cache keys")
struct CacheKeyRuleTests {
    @Test(
        "leave out what a signature adds, and nothing else",
        arguments: [
            (CacheKeyRule.amazonS3, "https://a/b.jpg?X-Amz-Date=1&w=2&x-amz-signature=3#f", "https://a/b.jpg?w=2#f"),
            (.amazonS3, "https://a/b.jpg?AWSAccessKeyId=1&Expires=2&Signature=3", "https://a/b.jpg"),
            (.amazonCloudFront, "https://a/b?Policy=1&Key-Pair-Id=2&Signature=3&w=4", "https://a/b?w=4"),
            (.googleCloudStorage, "https://a/b?X-Goog-Algorithm=1&X%2DGoog-Date=2&w=3&w=4", "https://a/b?w=3&w=4"),
            (.azureStorage, "https://a/b?sv=1&sig=2&se=3&rsct=image/png", "https://a/b?rsct=image/png"),
            (.ignoringQuery, "https://a/b?c=d#e?f", "https://a/b#e?f"),
            (.ignoringQuery, "https://a/b#e?f", "https://a/b#e?f"),
            (.keepingQueryItems(["ID"]), "https://a/b?t=1&id=2&&id=3", "https://a/b?id=2&id=3"),
            (.ignoringQueryItems(["t"]), "https://a/b?T&u&&v=", "https://a/b?u&&v="),
            (.ignoringQueryItems(["t"]), "https://a/b", "https://a/b"),
            (
                .amazonS3, "https://a/b?versionId=1&X-Amz-Security-Token=2&partNumber=3",
                "https://a/b?versionId=1&partNumber=3"
            ),
            (
                .amazonCloudFront, "https://a/b?size=1&Expires=2&Signature=3&Key-Pair-Id=4&Hash-Algorithm=SHA256",
                "https://a/b?size=1"
            ),
            (
                .googleCloudStorage, "https://a/b?generation=1&GoogleAccessId=2&Expires=3&Signature=4",
                "https://a/b?generation=1"
            ),
            (
                .azureStorage, "https://a/b?skoid=1&sktid=2&skt=3&ske=4&sks=b&skv=5&sduoid=6&skdutid=7&snapshot=8",
                "https://a/b?snapshot=8"
            ),
            // A mark that combines with the character before it is one character with it, but not one byte.
            (.ignoringQueryItems(["t"]), "https://a/b?\u{301}x=1&\u{301}y=2&t=3", "https://a/b?\u{301}x=1&\u{301}y=2"),
            (.ignoringQueryItems(["\u{E9}"]), "https://a/b?e\u{301}=1&\u{E9}=2", "https://a/b?e\u{301}=1"),
            (.ignoringQueryItems(["t"]), "https://a/b?%C0T=1&%54=2", "https://a/b?%C0T=1"),
            (.ignoringQueryItems(["\u{212A}"]), "https://a/b?k=1&K=2", "https://a/b?k=1&K=2"),
        ]
    )
    func keys(rule: CacheKeyRule, address: String, key: String) {
        #expect(rule.key(for: address) == key)
    }

    @Test("make differently signed addresses one image, in memory and on disk")
    func signedAddresses() async throws {
        let test = TestPipeline()
        let base = Sample.url().absoluteString
        let urls = try (1...3).map { try #require(URL(string: base + "?X-Amz-Signature=\($0)")) }
        test.transport.serve(urls[0], Sample.png())
        let options: [ImageOption] = [.cacheKeyRule(.amazonS3)]
        #expect(try await test.pipeline.response(for: urls[0], options: options).source == .network)
        #expect(try await test.pipeline.response(for: urls[1], options: options).source == .memory)
        await test.settle()
        test.pipeline.cache.removeAllFromMemory()
        #expect(try await test.pipeline.response(for: urls[2], options: options).source == .disk)
        #expect(
            try await test.pipeline.cache.remove(for: ImageRequest(urls[1], options: [.cacheKeyRule(.amazonS3)])) > 0
        )
    }

    @Test("of the program name an image in memory, on disk, and for the cache")
    func custom() async throws {
        let test = TestPipeline()
        let base = Sample.url().absoluteString
        let urls = try (1...3).map { try #require(URL(string: "\(base)/\($0)")) }
        test.transport.serve(urls[0], Sample.png())
        let rule = CacheKeyRule.custom("without the last component") { address in
            address.lastIndex(of: "/").map { String(address[..<$0]) }
        }
        let options: [ImageOption] = [.cacheKeyRule(rule)]
        #expect(try await test.pipeline.response(for: urls[0], options: options).source == .network)
        #expect(try await test.pipeline.response(for: urls[1], options: options).source == .memory)
        #expect(test.pipeline.responseFromMemory(for: urls[2], options: options)?.source == .memory)
        await test.settle()
        test.pipeline.cache.removeAllFromMemory()
        #expect(try await test.pipeline.response(for: urls[2], options: options).source == .disk)
        #expect(try await test.pipeline.cache.storedImages().map(\.original) == [base])
        #expect(try await test.pipeline.cache.remove(for: ImageRequest(urls[1], options: options)) == 1)
    }

    @Test("of the program that return no name leave the address", arguments: [nil, ""])
    func noName(name: String?) async throws {
        let test = TestPipeline()
        let options: [ImageOption] = [.cacheKeyRule(.custom("none") { _ in name })]
        for seed in 1...2 {
            let url = Sample.url()
            test.transport.serve(url, Sample.png(seed: seed))
            #expect(try await test.pipeline.image(from: url, options: options).owner == seed)
            #expect(test.pipeline.cache.isInMemory(ImageRequest(url)))
        }
    }

    @Test("of the program do not see the user of an address, nor mix up names that only look the same")
    func customBytes() async throws {
        let test = TestPipeline()
        let addresses = Lock<Set<String>>([])
        let names = ["\u{E9}", "e\u{301}"]
        let rule = CacheKeyRule.custom("look alike") { address in
            addresses.withLock { _ = $0.insert(address) }
            return address.utf8.last.map { names[Int($0 & 1)] }
        }
        for seed in 0...1 {
            let url = try #require(URL(string: "https://me:secret@images.example/\(seed)"))
            test.transport.setAnswer { _ in .init(body: Sample.png(seed: seed)) }
            #expect(try await test.pipeline.image(from: url, options: [.cacheKeyRule(rule)]).owner == seed)
        }
        #expect(addresses.withLock { $0 } == ["https://images.example/0", "https://images.example/1"])
    }

    @Test("of the program are equal if their identifiers are, byte by byte")
    func customEquality() {
        let rule = CacheKeyRule.custom("\u{E9}") { _ in nil }
        #expect(rule == .custom("\u{E9}") { $0 } && rule != .custom("e\u{301}") { _ in nil })
        #expect(rule.hashValue == CacheKeyRule.custom("\u{E9}") { $0 }.hashValue)
    }

    @Test("of the program may look into memory themselves")
    func reentrancy() async throws {
        let test = TestPipeline()
        let url = Sample.url()
        test.transport.serve(url, Sample.png())
        let rule = CacheKeyRule.custom("looks") { [pipeline = test.pipeline] address in
            pipeline.responseFromMemory(for: url) == nil ? address : address + "#again"
        }
        // The second is loaded under another name, as the first is in memory.
        for _ in 0..<2 {
            #expect(try await test.pipeline.response(for: url, options: [.cacheKeyRule(rule)]).source == .network)
        }
        #expect(try await test.pipeline.response(for: url, options: [.cacheKeyRule(rule)]).source == .memory)
    }
}
