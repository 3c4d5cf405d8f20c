import FoundationEssentials
import HTTPTypes
import HalcyonTesting
import Testing

@testable import Halcyon

@Suite("Default options of a pipeline")
struct DefaultOptionsTests {
    private static let headers: HTTPFields = [.authorization: "Bearer configured"]

    private func pipeline() -> TestPipeline {
        var options = ImageOptions()
        options.network.headers = Self.headers
        options.processing = .crop(to: PixelSize(8, 6))
        let test = TestPipeline(defaultOptions: options)
        test.transport.setAnswer { _ in .init(body: Sample.png()) }
        return test
    }

    /// Each way to load, with options that say nothing, and with some that say something else.
    private static let loads: [(name: String, load: @Sendable (ImagePipeline, URL) async throws -> DecodedImage?)] = [
        ("task, source", { try await $0.task(for: .url($1)).image }),
        ("task, source, changes", { try await $0.task(for: .url($1), options: [.keepSixteenBits]).image }),
        ("task, source, value", { try await $0.task(for: .url($1), options: ImageOptions()).image }),
        ("task, source, literal", { try await $0.task(for: .url($1), options: literal).image }),
        ("task, URL", { try await $0.task(for: $1).image }),
        ("task, URL, changes", { try await $0.task(for: $1, options: [.keepSixteenBits]).image }),
        ("response, source", { try await $0.response(for: .url($1)).image }),
        ("response, source, changes", { try await $0.response(for: .url($1), options: [.keepSixteenBits]).image }),
        ("response, source, value", { try await $0.response(for: .url($1), options: ImageOptions()).image }),
        ("response, source, literal", { try await $0.response(for: .url($1), options: literal).image }),
        ("response, URL", { try await $0.response(for: $1).image }),
        ("response, URL, changes", { try await $0.response(for: $1, options: [.keepSixteenBits]).image }),
        ("response, URL, value", { try await $0.response(for: $1, options: ImageOptions()).image }),
        ("response, URL, literal", { try await $0.response(for: $1, options: literal).image }),
        ("image, source", { try await $0.image(from: .url($1)) }),
        ("image, source, changes", { try await $0.image(from: .url($1), options: [.keepSixteenBits]) }),
        ("image, URL", { try await $0.image(from: $1) }),
        ("image, URL, changes", { try await $0.image(from: $1, options: [.keepSixteenBits]) }),
        (
            "data",
            {
                _ = try await $0.data(for: .url($1)); return nil
            }
        ),
        (
            "data, changes",
            {
                _ = try await $0.data(for: .url($1), options: [.keepSixteenBits]); return nil
            }
        ),
        (
            "data, value",
            {
                _ = try await $0.data(for: .url($1), options: ImageOptions()); return nil
            }
        ),
        (
            "data, literal",
            {
                _ = try await $0.data(for: .url($1), options: literal); return nil
            }
        ),
        (
            "prefetcher, sources",
            { pipeline, url in
                let prefetcher = ImagePrefetcher(sources: [.url(url)], pipeline: pipeline)
                #expect(await prefetcher.run().completed.count == 1)
                return pipeline.responseFromMemory(for: url)?.image
            }
        ),
        (
            "prefetcher, URLs, value",
            { pipeline, url in
                let prefetcher = ImagePrefetcher(urls: [url], pipeline: pipeline, options: literal)
                #expect(await prefetcher.run().completed.count == 1)
                return pipeline.responseFromMemory(for: url, options: literal)?.image
            }
        ),
        (
            "prefetcher, disk",
            { pipeline, url in
                let prefetcher = ImagePrefetcher(
                    urls: [url],
                    pipeline: pipeline,
                    options: ImageOptions(),
                    destination: .disk
                )
                #expect(await prefetcher.run().completed.count == 1)
                return nil
            }
        ),
    ]

    private static let literal: ImageOptions = [.keepSixteenBits]

    @Test("count however an image is loaded, and however options are given", arguments: loads.indices)
    func everyLoad(index: Int) async throws {
        let test = pipeline()
        let (name, load) = Self.loads[index]
        let image = try await load(test.pipeline, Sample.url())
        #expect(image.map { $0.size == PixelSize(8, 6) } ?? true, "\(name)")
        #expect(test.transport.transfers.map(\.request.headers) == [Self.headers], "\(name)")
    }

    @Test("count where memory is looked into")
    func memory() async throws {
        let test = pipeline()
        let (pipeline, url) = (test.pipeline, Sample.url())
        _ = try await pipeline.response(for: url)
        for response in [
            pipeline.responseFromMemory(for: url),
            pipeline.responseFromMemory(for: url, options: [.priority(.high)]),
            pipeline.responseFromMemory(for: url, options: ImageOptions()),
            pipeline.responseFromMemory(for: .url(url)),
            pipeline.responseFromMemory(for: .url(url), options: [.priority(.high)]),
            pipeline.responseFromMemory(for: .url(url), options: ImageOptions()),
            pipeline.responseFromMemory(for: url, options: pipeline.configuration.defaultOptions),
            pipeline.task(for: .url(url), options: ImageOptions()).finishedResponse,
        ] {
            #expect(response?.image.size == PixelSize(8, 6))
        }
        #expect(pipeline.responseFromMemory(for: url, options: [.headers([:])]) == nil)
        #expect(pipeline.responseFromMemory(for: url, options: [.processor(.identity)]) == nil)
    }

    @Test("give way to what a call says, field by field")
    func precedence() {
        let test = pipeline()
        var options = ImageOptions()
        options.cache.storesOnDisk = false
        options.network.method = .post
        let completed = test.pipeline.completed(options)
        #expect(!completed.cache.storesOnDisk && completed.network.method == .post)
        #expect(completed.network.headers == Self.headers && completed.processing == .crop(to: PixelSize(8, 6)))
        options.network.headers = [.accept: "image/png"]
        #expect(test.pipeline.completed(options).network.headers == [.accept: "image/png"])
    }

    @Test("can be set back, in a list of changes or in a copy of them")
    func settingBack() {
        let test = pipeline()
        var copy = test.pipeline.configuration.defaultOptions
        copy.network.headers = [:]
        #expect(test.pipeline.completed(copy).network.headers == [:])
        #expect(test.pipeline.completed([.headers([:])]).network.headers == [:])
        #expect(test.pipeline.completed(test.pipeline.completed([.headers([:])])).network.headers == [:])
        // What was made of another pipeline's is nothing of this one's.
        let other = pipeline()
        #expect(test.pipeline.completed(other.pipeline.configuration.defaultOptions).network.headers == Self.headers)
    }

    @Test("reach every field that a call leaves alone")
    func everyField() {
        let cache = ImageCache(disk: DiskCache.Configuration(folder: TestPipeline.temporaryPath()))
        let changes: [ImageOption] = [
            .processor(.crop(to: PixelSize(1, 1))), .fromMemoryCacheOrRefresh, .onlyFromCache, .cacheMemoryOnly,
            .cacheOriginalImage, .waitForCache, .diskCacheExpiration(.never), .ignoringServer, .staleIfError(.never),
            .revalidate, .memoryCacheExpiration(.never), .memoryCacheAccessExtending(.none),
            .diskCacheAccessExtending(.none), .targetCache(cache), .originalCache(cache),
            .cacheKeyRule(.ignoringQuery), .cacheScope("a"), .serializer(.format(.png, EncodeOptions())),
            .priority(.high), .timeouts(.download(.seconds(1))), .decodeLimits(DecodeLimits(pixelCount: 7)),
            .color(.asStored), .keepSixteenBits, .useEmbeddedThumbnail, .frame(2), .headers(Self.headers),
            .method(.post), .requestModifier(RequestModifier { $0 }), .redirectHandler(RedirectHandler.refusing),
            .authenticationResponder(AuthenticationResponder { _ in nil }), .responseModifier(ResponseModifier { $0 }),
            .acceptedStatusCodes(200..<201), .acceptedContentTypes(["a"]),
            .responseReviewer(ResponseReviewer { _ in true }),
            .dataModifier(DataModifier { data, _ in data }), .retry(.exponential(maxAttempts: 2)),
            .alternativeSources([.file("/a")]), .lowDataSource(.file("/b")),
            ImageOption { $0.network.limits = TransferLimits(bodyBytes: 1) },
            ImageOption { $0.recovery.allowsMetered = false },
            ImageOption { $0.cache.storesInMemory = false },
        ]
        let defaults = ImageOptions().applying(changes).asBase()
        var options = ImageOptions()
        // Another field of each group.
        options.cache.storesInMemory = false
        options.network.isAllowed = false
        options.decode.frame = 2
        options.recovery.allowsMetered = false
        #expect(options.over(defaults) == defaults)
        for change in changes {
            #expect(ImageOptions().applying([change]) != ImageOptions())
        }
    }
}
