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

    @Test("names the image whatever the location: another URL, a file, bytes, and another pipeline")
    func locations() async throws {
        let (test, path) = (TestPipeline(), TestPipeline.temporaryPath())
        defer { try? FileManager.default.removeItem(atPath: path) }
        let url = Sample.url()
        test.transport.serve(url, Sample.png(seed: 1))
        try Sample.png(seed: 2).write(to: URL(filePath: path))
        #expect(try await test.pipeline.image(from: ImageRequest(.url(url, cacheKey: "avatar"))).owner == 1)
        await test.settle()
        let others: [Source] = [
            .url(Sample.url(), cacheKey: "avatar"), .file(path, cacheKey: "avatar"),
            .data(Sample.png(seed: 3), cacheKey: "avatar"),
        ]
        for source in others {
            let response = try await test.pipeline.response(for: ImageRequest(source))
            #expect(response.source == .memory && response.image.owner == 1)
        }
        test.pipeline.cache.removeAllFromMemory()
        #expect(try await test.pipeline.response(for: ImageRequest(others[0])).source == .disk)
        let later = TestPipeline(folder: test.folder)
        #expect(try await later.pipeline.image(from: ImageRequest(others[0], options: [.onlyFromCache])).owner == 1)
        #expect(try await test.pipeline.cache.storedImages().map(\.original) == ["avatar"])
    }

    @Test("is compared byte by byte, and is no name of the URL that it looks like")
    func bytes() async throws {
        let test = TestPipeline()
        let url = Sample.url()
        let keys: [String?] = [nil, "\u{E9}", "e\u{301}", "a\0b", url.absoluteString + "#"]
        for (seed, key) in keys.enumerated() {
            test.transport.serve(url, Sample.png(seed: seed))
            let request = ImageRequest(.url(url, cacheKey: key))
            #expect(try await test.pipeline.response(for: request).source == .network)
            await test.settle()
        }
        for isInMemory in [true, false] {
            if !isInMemory { test.pipeline.cache.removeAllFromMemory() }
            for (seed, key) in keys.enumerated() {
                let response = try await test.pipeline.response(for: ImageRequest(.url(url, cacheKey: key)))
                #expect(response.source == (isInMemory ? .memory : .disk) && response.image.owner == seed)
            }
        }
        #expect(test.transport.startedCount(url) == keys.count)
    }

    @Test("of a file is stable: the same path has the same name while the file is as it is")
    func fileNames() async throws {
        let (test, path) = (TestPipeline(), TestPipeline.temporaryPath())
        defer { try? FileManager.default.removeItem(atPath: path) }
        try Sample.png().write(to: URL(filePath: path))
        var keys: Set<ImageKey> = []
        for url in [URL(filePath: path), URL(string: "file://\(path)")] {
            let request = ImageRequest(.url(try #require(url)))
            keys.insert(try #require(try await test.pipeline.cache.key(for: request)))
        }
        #expect(keys.count == 1)
        _ = try await test.pipeline.image(from: ImageRequest(.file(path)))
        #expect(try await test.pipeline.response(for: ImageRequest(.url(URL(filePath: path)))).source == .memory)
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
        let options: [ImageOption] = [.alternativeSources([.file(paths[1])])]
        let response = try await test.pipeline.response(for: ImageRequest(.file(paths[0]), options: options))
        #expect(response.source == .file)
        #expect(response.substitution?.used == .file(paths[1]))
    }
}
