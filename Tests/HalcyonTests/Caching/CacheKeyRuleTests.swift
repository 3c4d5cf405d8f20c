import FoundationEssentials
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
        let options: ImageOptions = [.cacheKeyRule(.amazonS3)]
        #expect(try await test.pipeline.response(for: urls[0], options: options).source == .network)
        #expect(try await test.pipeline.response(for: urls[1], options: options).source == .memory)
        await test.settle()
        test.pipeline.cache.removeAllFromMemory()
        #expect(try await test.pipeline.response(for: urls[2], options: options).source == .disk)
        #expect(
            try await test.pipeline.cache.remove(for: ImageRequest(urls[1], options: [.cacheKeyRule(.amazonS3)])) > 0
        )
    }
}
