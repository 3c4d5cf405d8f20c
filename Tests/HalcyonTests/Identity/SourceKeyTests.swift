import FoundationEssentials
import HalcyonTesting
import Testing

@testable import Halcyon

@Suite("A source with a cache key of its own")
struct SourceKeyTests {
    private let users = TwoUsers()

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

@Suite("Names that only look the same")
struct EquivalentNameTests {
    private struct Provider: ImageDataProvider {
        let cacheKey: String
        let body: Data

        func data() async throws -> Data {
            if body.isEmpty { throw CancellationError() }
            return body
        }
    }

    /// "é" as one scalar and as two.
    private static let names = ["caf\u{e9}", "cafe\u{301}"]

    @Test("name different sources")
    func sources() throws {
        let url = Sample.url()
        let sources = Self.names.map { name in
            [.provider(Provider(cacheKey: name, body: Data())), .file("/\(name)"), .url(url, cacheKey: name)]
                as [Source]
        }
        for (left, right) in zip(sources[0], sources[1]) {
            #expect(left != right)
            #expect(left == left)
            #expect(Set([left, right, left]).count == 2)
        }
    }

    @Test("are both tried where one source replaces the other")
    func alternatives() async throws {
        let folder = TestPipeline.temporaryPath()
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let paths = Self.names.map { "\(folder)/\($0).png" }
        #expect(FileManager.default.createFile(atPath: paths[1], contents: Sample.png()))
        let test = TestPipeline()
        let options: ImageOptions = [.alternativeSources([.file(paths[1])])]
        let response = try await test.pipeline.response(for: ImageRequest(.file(paths[0]), options: options))
        #expect(response.source == .file)
        #expect(response.substitution?.used == .file(paths[1]))
    }
}
