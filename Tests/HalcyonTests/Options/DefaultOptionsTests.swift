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

    /// Each way to load, with options that leave everything open, and with some that set another field.
    private static let loads: [(name: String, load: @Sendable (ImagePipeline, URL) async throws -> DecodedImage?)] = [
        ("task, URL", { try await $0.task(for: $1).image }),
        ("task, URL, value", { try await $0.task(for: $1, options: ImageOptions()).image }),
        ("task, URL, literal", { try await $0.task(for: $1, options: [.keepSixteenBits]).image }),
        ("task, request", { try await $0.task(for: ImageRequest($1)).image }),
        ("task, request, literal", { try await $0.task(for: ImageRequest($1, options: literal)).image }),
        ("response, URL", { try await $0.response(for: $1).image }),
        ("response, URL, value", { try await $0.response(for: $1, options: ImageOptions()).image }),
        ("response, URL, literal", { try await $0.response(for: $1, options: [.keepSixteenBits]).image }),
        ("response, request", { try await $0.response(for: ImageRequest($1)).image }),
        ("response, request, literal", { try await $0.response(for: ImageRequest($1, options: literal)).image }),
        ("image, URL", { try await $0.image(from: $1) }),
        ("image, URL, literal", { try await $0.image(from: $1, options: [.keepSixteenBits]) }),
        ("image, request", { try await $0.image(from: ImageRequest($1)) }),
        ("image, request, literal", { try await $0.image(from: ImageRequest($1, options: literal)) }),
        ("data, URL", { try await $0.encoded(ImageRequest($1)) }),
        ("data, URL, literal", { try await $0.encoded(ImageRequest($1, options: literal)) }),
        (
            "data, URL shorthand",
            { pipeline, url in
                _ = try await pipeline.data(for: url, options: [.keepSixteenBits])
                return nil
            }
        ),
        (
            "prefetcher, requests",
            { pipeline, url in
                let prefetcher = ImagePrefetcher(requests: [ImageRequest(url)], pipeline: pipeline)
                #expect(await prefetcher.run().completed.count == 1)
                return pipeline.responseFromMemory(for: ImageRequest(url))?.image
            }
        ),
        (
            "prefetcher, URLs, literal",
            { pipeline, url in
                let prefetcher = ImagePrefetcher(urls: [url], options: literal, pipeline: pipeline)
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
            pipeline.responseFromMemory(for: ImageRequest(url)),
            pipeline.responseFromMemory(for: ImageRequest(url, options: [.priority(.high)])),
            pipeline.responseFromMemory(for: url, options: pipeline.configuration.defaultOptions),
            pipeline.task(for: url, options: ImageOptions()).finishedResponse,
        ] {
            #expect(response?.image.size == PixelSize(8, 6))
        }
        #expect(pipeline.responseFromMemory(for: url, options: [.headers([:])]) == nil)
        #expect(pipeline.responseFromMemory(for: url, options: [.processor(.identity)]) == nil)
    }

    @Test("give way to the options of a call, field by field")
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

    @Test("give way to a field that is set to its standard value")
    func settingBack() {
        let test = pipeline()
        var copy = test.pipeline.configuration.defaultOptions
        copy.network.headers = [:]
        #expect(test.pipeline.completed(copy).network.headers == [:])
        let literal: ImageOptions = [.headers([:]), .processor(.identity)]
        #expect(test.pipeline.completed(literal).network.headers == [:])
        #expect(test.pipeline.completed(literal).processing == .identity)
        // The same changes as an array.
        #expect(
            test.pipeline.completed(ImageOptions([.headers([:]), .processor(.identity)]))
                == test.pipeline.completed(literal)
        )
        #expect(test.pipeline.completed(ImageOptions().applying([.headers([:])])).network.headers == [:])
        // Completing twice changes nothing.
        #expect(test.pipeline.completed(test.pipeline.completed(literal)) == test.pipeline.completed(literal))
    }

    @Test("count where an assignment left a field as it was")
    func unchangedField() {
        var options = ImageOptions()
        options.network.headers = [:]
        options.priority = .normal
        #expect(options == ImageOptions())
        #expect(pipeline().pipeline.completed(options).network.headers == Self.headers)
    }

    @Test("count where a change of the program's own left a field as it was")
    func customChange() {
        let test = pipeline()
        let options: ImageOptions = [
            ImageOption {
                $0.network.headers = [:]
                $0.decode.frame = 3
            }
        ]
        #expect(test.pipeline.completed(options).network.headers == Self.headers)
        #expect(test.pipeline.completed(options).decode.frame == 3)
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
        let defaults = ImageOptions(changes)
        var options = ImageOptions()
        // Another field of each group.
        options.cache.storesInMemory = false
        options.network.isAllowed = false
        options.decode.frame = 2
        options.recovery.allowsMetered = false
        #expect(options.filled(from: defaults) == defaults)
        for change in changes {
            #expect(ImageOptions([change]) != ImageOptions())
        }
    }

    @Test("cover each field of each group")
    func fieldList() {
        // A group that keeps its fields behind a reference is counted by hand.
        let stored =
            Mirror(reflecting: CachePolicy()).children.count + Mirror(reflecting: DecodePolicy()).children.count
        let network = 3 + Mirror(reflecting: TransferRules()).children.count - 1
        let hooks = Mirror(reflecting: TransferHandling()).children.count
        #expect(ImageOptionField.allCases.count == stored + network + hooks + 4 + 2)
        #expect(ImageOptionFields.cache.each.count { _ in true } == Mirror(reflecting: CachePolicy()).children.count)
        #expect(ImageOptionFields.decode.each.count { _ in true } == Mirror(reflecting: DecodePolicy()).children.count)
    }

    @Test("give way to each built-in change, also where it sets the standard value")
    func standardValues() {
        let changes: [(ImageOption, ImageOptionField)] = [
            (.processor(.identity), .processing), (.priority(.normal), .priority), (.headers([:]), .headers),
            (.frame(0), .frame), (.color(.sRGB), .color), (.decodeLimits(.standard), .decodeLimits),
            (.staleIfError(.asAllowed), .staleIfError), (.serializer(.automatic), .serializer),
            (.memoryCacheAccessExtending(.originalLifetime), .memoryExtension),
            (.diskCacheAccessExtending(.originalLifetime), .diskExtension),
            (.alternativeSources([]), .alternatives), (.allowsMetered(true), .allowsMetered),
        ]
        for (change, field) in changes {
            guard case .fields(let fields, _) = change.change else {
                Issue.record("a built-in change without fields")
                continue
            }
            #expect(fields == ImageOptionFields(field))
            #expect(ImageOptions([change]) != ImageOptions())
        }
    }
}

extension ImagePipeline {
    fileprivate func encoded(_ request: ImageRequest) async throws -> DecodedImage? {
        _ = try await data(for: request)
        return nil
    }
}
