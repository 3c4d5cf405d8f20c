import FoundationEssentials
import HalcyonTesting
import Testing

@testable import Halcyon

@Suite("The thumbnail of a file")
struct ThumbnailTests {
    private let fixture: ThumbnailFixture
    private var pipeline: ImagePipeline { fixture.test.pipeline }

    init() throws {
        fixture = try ThumbnailFixture()
    }

    private func load(_ size: ThumbnailSize = .normal, _ options: [ImageOption] = []) async throws -> ImageResponse {
        try await pipeline.response(for: ImageRequest(.thumbnail(ofFile: fixture.path, size: size), options: options))
    }

    @Test("is that which another program made, and is kept in memory only")
    func found() async throws {
        try fixture.store(ThumbnailFixture.png(90, 60, 7, texts: fixture.texts()), .normal)
        let response = try await load()
        #expect(response.source == .file && response.image.owner == 7)
        #expect(response.image.size == PixelSize(90, 60))
        #expect(try await load().source == .memory)
        await fixture.test.settle()
        #expect(try await pipeline.cache.diskStatistics().count == 0)
    }

    @Test("is made of the file where there is none, no larger than the size says")
    func made() async throws {
        for (size, expected) in [(ThumbnailSize.normal, PixelSize(128, 85)), (.large, PixelSize(256, 171))] {
            let response = try await load(size)
            #expect(response.image.owner == 1 && response.image.size == expected)
        }
        // A small image is not enlarged.
        #expect(try await load(.xLarge).image.size == PixelSize(300, 200))
        #expect(
            try FileManager.default.subpathsOfDirectory(atPath: fixture.folder).filter { $0.hasSuffix(".png") } == []
        )
    }

    @Test(
        "is made of the file where the one there is of another state, or of another file",
        arguments: [
            ["Thumb::MTime": "1"], ["Thumb::MTime": "then"], ["Thumb::MTime": nil], ["Thumb::URI": nil],
            ["Thumb::URI": "file:///else.png"], ["Thumb::Size": "9"], ["Thumb::Size": "many"],
        ] as [[String: String?]]
    )
    func invalid(changes: [String: String?]) async throws {
        try fixture.store(ThumbnailFixture.png(90, 60, 7, texts: fixture.texts(changes)), .normal)
        #expect(try await load().image.owner == 1)
    }

    @Test("is made of the file where the one there is no PNG, or is cut off before or after its texts")
    func unreadable() async throws {
        let whole = ThumbnailFixture.png(90, 60, 7, texts: fixture.texts())
        let cut = [40, whole.count - 20, whole.count - 1].map { whole.prefix($0) }
        for data in [Data(), Data("text".utf8)] + cut {
            try fixture.store(data, .normal)
            pipeline.cache.removeAllFromMemory()
            #expect(try await load().image.owner == 1)
        }
    }

    @Test("with the right size of the file, and a time with a fraction, is used")
    func optionalTexts() async throws {
        let size = try Data(contentsOf: URL(filePath: fixture.path)).count
        let changes = ["Thumb::Size": "\(size)", "Thumb::MTime": "\(fixture.modified).25"]
        try fixture.store(ThumbnailFixture.png(90, 60, 7, texts: fixture.texts(changes)), .normal)
        #expect(try await load().image.owner == 7)
    }

    @Test("is made of a larger one, and not of a smaller one")
    func otherSizes() async throws {
        try fixture.store(ThumbnailFixture.png(240, 160, 7, texts: fixture.texts()), .large)
        let response = try await load(.normal)
        #expect(response.image.owner == 7 && response.image.size == PixelSize(128, 85))
        #expect(try await load(.xLarge).image.owner == 1)
        try fixture.store(ThumbnailFixture.png(120, 80, 9, texts: fixture.texts()), .normal)
        pipeline.cache.removeAllFromMemory()
        #expect(try await load(.normal).image.owner == 9, "that of the size itself comes first")
    }

    @Test("of another frame is made of the file, as a thumbnail shows the first alone")
    func otherFrame() async throws {
        let frames = (0..<2).map { number in
            AnimationFrame(bitmap: Sample.bitmap(300, 200, seed: number * 90), duration: 100)
        }
        try fixture.write(ImageCodecs.standard.encode(frames, as: .gif))
        try fixture.store(ThumbnailFixture.png(90, 60, 7, texts: fixture.texts()), .normal)
        let first = pipeline.task(for: ImageRequest(.thumbnail(ofFile: fixture.path)))
        let second = pipeline.task(for: ImageRequest(.thumbnail(ofFile: fixture.path), options: [.frame(1)]))
        #expect(try await first.image.owner == 7)
        #expect(try await second.image.size == PixelSize(128, 85))
        #expect(try await load(.normal, [.frame(1)]).source == .memory)
    }

    @Test("of a file that is no image is there only where another program made it")
    func noImage() async throws {
        try fixture.write(Data("a video".utf8))
        let error = try await pipeline.task(for: ImageRequest(.thumbnail(ofFile: fixture.path))).failure()
        #expect(error.stage == .decode)
        try fixture.store(ThumbnailFixture.png(90, 60, 7, texts: fixture.texts()), .normal)
        #expect(try await load().image.owner == 7)
    }

    @Test("is no longer used once the file changes")
    func changed() async throws {
        fixture.setModified(1_000_000)
        try fixture.store(ThumbnailFixture.png(90, 60, 7, texts: fixture.texts()), .normal)
        #expect(try await load().image.owner == 7)
        try fixture.write(ThumbnailFixture.png(300, 200, 3))
        #expect(try await load().image.owner == 3)
    }

    @Test("of a file that does not exist is an error of that file")
    func missing() async throws {
        try fixture.store(ThumbnailFixture.png(90, 60, 7, texts: fixture.texts()), .normal)
        try FileManager.default.removeItem(atPath: fixture.path)
        let error = try await pipeline.task(for: ImageRequest(.thumbnail(ofFile: fixture.path))).failure()
        #expect(error.reason == .file(path: fixture.path, reason: "No such file or directory"))
    }

    @Test("of a thumbnail is that thumbnail")
    func ofThumbnail() async throws {
        let path = "\(fixture.folder)/normal/x.png"
        try ThumbnailFixture.png(200, 100, 5).write(to: URL(filePath: path))
        let image = try await pipeline.image(from: ImageRequest(.thumbnail(ofFile: path)))
        #expect(image.owner == 5 && image.size == PixelSize(128, 64))
    }

    @Test("is read before the processors run, and has a key of its own beside the file's image")
    func processing() async throws {
        let options: [ImageOption] = [.processor(.crop(to: .pixels(20, 10)))]
        #expect(try await load(.normal, options).image.size == PixelSize(20, 10))
        #expect(try await pipeline.response(for: ImageRequest(.file(fixture.path))).image.size == PixelSize(300, 200))
        #expect(try await load(.normal).image.size == PixelSize(128, 85))
        #expect(try await load(.large).image.size == PixelSize(256, 171))
        #expect(pipeline.cache.memoryStatistics.count == 4)
    }

    @Test("with a cache key is found by it, and is no larger either")
    func cacheKey() async throws {
        var source = Source.thumbnail(ofFile: fixture.path)
        source.cacheKey = "poster"
        #expect(try await pipeline.response(for: ImageRequest(source)).image.size == PixelSize(128, 85))
        #expect(pipeline.responseFromMemory(for: ImageRequest(source))?.image.size == PixelSize(128, 85))
    }

    @Test("with a cache key is found in memory in an encoded form, and is not taken for the whole image of that key")
    func encodedCacheKey() async throws {
        var source = Source.thumbnail(ofFile: fixture.path)
        source.cacheKey = "poster"
        let whole = ImageRequest(.file(fixture.path, cacheKey: "poster"))
        #expect(try await pipeline.encoded(for: whole, as: .format(.png)).size == PixelSize(300, 200))
        #expect(pipeline.encodedFromMemory(for: ImageRequest(source), as: .format(.png)) == nil)
        #expect(try await pipeline.encoded(for: ImageRequest(source), as: .format(.png)).size == PixelSize(128, 85))
        let found = pipeline.encodedFromMemory(for: ImageRequest(source), as: .format(.png))
        #expect(found?.size == PixelSize(128, 85))
    }

    @Test("with a cache key is not taken for the original of that key on disk")
    func cacheKeyOnDisk() async throws {
        let url = Sample.url()
        fixture.test.transport.serve(url, Sample.png(300, 200))
        _ = try await pipeline.response(for: ImageRequest(.url(url, cacheKey: "poster")))
        await fixture.test.settle()
        var source = Source.thumbnail(ofFile: fixture.path)
        source.cacheKey = "poster"
        let entry = try await pipeline.cache.entry(for: ImageRequest(source))
        #expect(entry == nil)
        #expect(try await pipeline.response(for: ImageRequest(source)).image.size == PixelSize(128, 85))
    }

    @Test("with a cache key does not replace the whole image of that key when the program stores it")
    func cacheKeyStore() async throws {
        let cache = pipeline.cache
        var source = Source.thumbnail(ofFile: fixture.path)
        source.cacheKey = "poster"
        let whole = ImageRequest(.url(Sample.url(), cacheKey: "poster"))
        try await cache.store(Sample.png(300, 200), for: whole)
        let thumbnail = try await pipeline.image(from: ImageRequest(source))
        let bytes = ThumbnailFixture.png(128, 85, 1)
        #expect(try await !cache.store(bytes, for: ImageRequest(source)))
        // Its image has a place of its own, and its bytes none.
        for options: [ImageOption] in [[], [.cacheOriginalImage], [.serializer(.original)]] {
            try await cache.store(thumbnail, original: bytes, for: ImageRequest(source, options: options))
            cache.removeAllFromMemory()
            #expect(try firstDifference(#require(await cache.storedData(for: whole)), Sample.png(300, 200)) == nil)
            #expect(try await pipeline.response(for: whole).image.size == PixelSize(300, 200))
            #expect(try await pipeline.image(from: ImageRequest(source)).size == PixelSize(128, 85))
        }
        #expect(fixture.test.transport.startedCount == 0)
    }

    @Test("can be removed from the cache")
    func removal() async throws {
        let request = ImageRequest(.thumbnail(ofFile: fixture.path))
        _ = try await pipeline.response(for: request)
        try await pipeline.cache.remove(for: request)
        #expect(pipeline.cache.memoryStatistics.count == 0)
    }

    @Test("is not looked for where no folder is configured")
    func unconfigured() async throws {
        try fixture.store(ThumbnailFixture.png(90, 60, 7, texts: fixture.texts()), .normal)
        let other = TestPipeline()
        #expect(try await other.pipeline.image(from: ImageRequest(.thumbnail(ofFile: fixture.path))).owner == 1)
    }
}

@Suite("The name of a thumbnail")
struct ThumbnailNameTests {
    @Test(
        "is made of a URI as GLib writes it",
        arguments: [
            ("/home/jens/photos/me.png", "file:///home/jens/photos/me.png"), ("/a b", "file:///a%20b"),
            ("/é", "file:///%C3%A9"), ("/a%20", "file:///a%2520"), ("/a#b?c;d", "file:///a%23b%3Fc%3Bd"),
            ("/!$&'()*+,-.:=@_~", "file:///!$&'()*+,-.:=@_~"),
            ("/[\"<>\\^`{|}]", "file:///%5B%22%3C%3E%5C%5E%60%7B%7C%7D%5D"),
        ]
    )
    func uri(path: String, expected: String) {
        #expect(ThumbnailFolder.uri(of: path) == expected)
    }

    @Test(
        "is made of an absolute path without detours",
        arguments: [
            ("/a/b", "/a/b"), ("/a//b/", "/a/b"), ("/a/./b/../c", "/a/c"), ("/../a", "/a"), ("/", "/"),
            ("a", FileManager.default.currentDirectoryPath + "/a"),
        ]
    )
    func path(path: String, expected: String) {
        #expect(ThumbnailFolder.absolutePath(path) == expected)
    }
}
