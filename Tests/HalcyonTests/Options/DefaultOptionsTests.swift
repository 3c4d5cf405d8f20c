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
        options.processing = .crop(to: .pixels(8, 6))
        let test = TestPipeline(defaultOptions: options)
        test.transport.setAnswer { _ in .init(body: Sample.png()) }
        return test
    }

    /// Each way to load, with options that leave everything open, and with some that set another field.
    private static let loads: [(name: String, load: @Sendable (ImagePipeline, URL) async throws -> DecodedImage?)] = [
        ("task, URL", { try await $0.task(for: $1).image }),
        ("task, URL, no change", { try await $0.task(for: $1, options: []).image }),
        ("task, URL, value", { try await $0.task(for: $1, options: $0.options()).image }),
        ("task, URL, literal", { try await $0.task(for: $1, options: [.keepSixteenBits]).image }),
        ("task, request", { try await $0.task(for: ImageRequest($1)).image }),
        ("task, request, literal", { try await $0.task(for: ImageRequest($1, options: literal)).image }),
        ("response, URL", { try await $0.response(for: $1).image }),
        ("response, URL, no change", { try await $0.response(for: $1, options: []).image }),
        ("response, URL, value", { try await $0.response(for: $1, options: $0.options([.keepSixteenBits])).image }),
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
            pipeline.responseFromMemory(for: url, options: pipeline.options()),
            pipeline.responseFromMemory(for: ImageRequest(url)),
            pipeline.responseFromMemory(for: ImageRequest(url, options: [.priority(.high)])),
            pipeline.responseFromMemory(for: url, options: pipeline.configuration.defaultOptions),
            pipeline.task(for: url, options: []).finishedResponse,
        ] {
            #expect(response?.image.size == PixelSize(8, 6))
        }
        #expect(pipeline.responseFromMemory(for: url, options: ImageOptions()) == nil)
        #expect(pipeline.responseFromMemory(for: url, options: [.headers([:])]) == nil)
        #expect(pipeline.responseFromMemory(for: url, options: [.processor(.identity)]) == nil)
    }

    @Test("give way to the changes of a call, field by field")
    func precedence() {
        let test = pipeline()
        let changes: ImageOptions = [.cacheMemoryOnly, .method(.post)]
        let completed = test.pipeline.completed(changes)
        #expect(!completed.cache.storesOnDisk && completed.network.method == .post)
        #expect(completed.network.headers == Self.headers && completed.processing == .crop(to: .pixels(8, 6)))
        let later = test.pipeline.completed(changes.applying([.headers([.accept: "image/png"])]))
        #expect(later.network.headers == [.accept: "image/png"] && !later.cache.storesOnDisk)
        #expect(test.pipeline.options([.cacheMemoryOnly, .method(.post)]) == completed)
    }

    @Test("do not count in a whole value: of a value that was made, or a field that was assigned")
    func wholeValues() {
        let test = pipeline()
        var options = ImageOptions()
        #expect(test.pipeline.completed(options) == ImageOptions())
        options.priority = .high
        #expect(test.pipeline.completed(options) == options && options.network.headers == [:])
        var changes: ImageOptions = [.keepSixteenBits]
        changes.priority = .high
        #expect(changes == options.applying([.keepSixteenBits]))
        #expect(test.pipeline.completed(changes) == changes)
        #expect(ImageOptions() != [] && ImageOptions() == test.pipeline.completed(ImageOptions()))
        // Unless it is one of theirs.
        var whole = test.pipeline.options()
        whole.priority = .high
        #expect(whole.network.headers == Self.headers)
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
        #expect(test.pipeline.completed(([] as ImageOptions).applying([.headers([:])])).network.headers == [:])
        // Completing twice changes nothing.
        #expect(test.pipeline.completed(test.pipeline.completed(literal)) == test.pipeline.completed(literal))
    }

    @Test("give way to a change of the program's own, also where it sets the standard value")
    func customChange() {
        let test = pipeline()
        let options: ImageOptions = [
            ImageOption {
                $0.network.headers = [:]
                $0.decode.frame = 3
            }
        ]
        #expect(test.pipeline.completed(options).network.headers == [:])
        #expect(test.pipeline.completed(options).decode.frame == 3)
        #expect(test.pipeline.completed(options).processing == .crop(to: .pixels(8, 6)))
        #expect(options.decode.frame == 3)
    }

    @Test("are what a change of the program's own finds, between the changes beside it")
    func customChangeOfDefaults() {
        let test = pipeline()
        let append = ImageOption { $0.network.headers[.accept] = "image/avif" }
        let reset = ImageOption { $0.decode.frame = 5 }
        let options: ImageOptions = [append, .frame(1), reset, .frame(2), .priority(.high)]
        let completed = test.pipeline.completed(options)
        #expect(completed.network.headers == [.authorization: "Bearer configured", .accept: "image/avif"])
        #expect(completed.decode.frame == 2 && options.decode.frame == 2)
        #expect(completed.priority == .high)
        #expect(test.pipeline.completed([.frame(1), reset]).decode.frame == 5)
        // Once more changes nothing, also where the change has undone a default.
        let undone = test.pipeline.completed([ImageOption { $0.network.headers = [:] }])
        #expect(test.pipeline.completed(undone) == undone && undone.network.headers == [:])
        #expect(([reset] as ImageOptions) != [reset, .frame(5)])
        // As defaults they count as well, and once.
        let chained = TestPipeline(defaultOptions: [
            ImageOption { $0.processing = $0.processing |> .crop(to: .pixels(4, 4)) }
        ])
        let twice = chained.pipeline.completed(chained.pipeline.completed([]))
        #expect(twice == chained.pipeline.completed([]) && twice.processing == .crop(to: .pixels(4, 4)))
        var derived = chained.pipeline.configuration.defaultOptions
        derived.priority = .high
        #expect(chained.pipeline.completed(derived).processing == .crop(to: .pixels(4, 4)))
        let other = TestPipeline(defaultOptions: [append])
        #expect(other.pipeline.completed([.frame(1)]).network.headers == [.accept: "image/avif"])
    }

    @Test("do not let one user's scope take the place of another's")
    func customScope() {
        let test = TestPipeline(defaultOptions: [.sharedAcrossCredentials])
        let (url, own) = (Sample.url(), ImageOption { $0.cache.scope = .credential })
        let keys = ["Bearer a", "Bearer b"].map { token in
            let options = test.pipeline.completed([.headers([.authorization: token]), own])
            return ImageKey(ImageRequest(url, options: options))
        }
        #expect(keys[0] != nil && keys[0] != keys[1])
    }

    @Test("reach every field that a call leaves alone")
    func everyField() {
        let cache = ImageCache(disk: DiskCache.Configuration(folder: TestPipeline.temporaryPath()))
        let changes: [ImageOption] = [
            .processor(.crop(to: .pixels(1, 1))), .fromMemoryCacheOrRefresh, .onlyFromCache, .cacheMemoryOnly,
            .cacheOriginalImage, .waitForCache, .diskCacheExpiration(.never), .ignoringServer, .staleIfError(.never),
            .revalidate, .memoryCacheExpiration(.never), .memoryCacheAccessExtending(.none),
            .diskCacheAccessExtending(.none), .targetCache(cache), .originalCache(cache),
            .cacheKeyRule(.ignoringQuery), .cacheScope("a"), .serializer(.format(.png, EncodeOptions())),
            .priority(.high), .timeouts(.download(.seconds(1))), .decodeLimits(DecodeLimits(pixelCount: 7)),
            .color(.asStored), .keepSixteenBits, .useEmbeddedThumbnail, .frame(2), .headers(Self.headers),
            .method(.post), .hooks(TestHooks.refusingRedirects),
            .acceptedStatusCodes(200..<201), .acceptedContentTypes(["a"]),
            .retry(.exponential(maxAttempts: 2)),
            .alternativeSources([.file("/a")]), .lowDataSource(.file("/b")),
            ImageOption { $0.network.limits = TransferLimits(bodyBytes: 1) },
            ImageOption { $0.recovery.allowsMetered = false },
            ImageOption { $0.cache.storesInMemory = false },
            .readsOriginal(false), .diskDurability(.full),
            .callbackExecutor(.calling),
            .typeHint(.svg), .scaleDownLargeImages(), .videoFrame(at: .first), .codecs(.standard), .scaleFactor(2),
            .downloader(ImageDownloader(transport: ScriptedTransport())), .includesOriginalData,
            .imageModifier(ImageModifier { $0 }), .workers(PixelWorkers(threadCount: 1, byteBudget: 1)),
            .previews([.file("/c")]), .progressive, .targetSize(.pixels(width: 9)), .precision(.inexact),
            .largestSideLength(9), .animation(.firstFrame), .processAllFrames, .damage(.isRefused),
            .observers(LoadObserver { _ in }),
            .interceptors(LoadInterceptor { try await $0.proceed() }), .loaders(SourceLoader { _, _ in nil }),
            .value("a", for: NoteKey.self),
        ]
        let test = TestPipeline(defaultOptions: ImageOptions(changes))
        #expect(test.pipeline.completed([]).fields == ImageOptions(changes).fields)
        // Each is another change, of another field: the rest stays, in whatever order.
        #expect(Set(changes).count == changes.count && changes.count == OptionFields.count)
        #expect(ImageOptions(changes.reversed()).fields == ImageOptions(changes).fields)
        for index in changes.indices {
            let others = changes[..<index] + changes[(index + 1)...]
            #expect(ImageOptions(Array(others)).fields != ImageOptions(changes).fields, "\(index)")
        }
    }

    @Test("give way to each built-in change, also where it sets the standard value")
    func standardValues() {
        let changes: [ImageOption] = [
            .processor(.identity), .priority(.normal), .headers([:]), .frame(0), .color(.sRGB),
            .decodeLimits(.standard), .staleIfError(.asAllowed), .serializer(.automatic),
            .memoryCacheAccessExtending(.originalLifetime), .diskCacheAccessExtending(.originalLifetime),
            .alternativeSources([]), .allowsMetered(true), .readsOriginal(true), .callbackExecutor(.mainActor),
            .previews([]), .progressive(.none),
        ]
        let others: ImageOptions = [
            .processor(.crop(to: .pixels(1, 1))), .priority(.high), .headers(Self.headers), .frame(2),
            .color(.asStored), .decodeLimits(DecodeLimits(pixelCount: 7)), .staleIfError(.never),
            .serializer(.format(.png, EncodeOptions())), .memoryCacheAccessExtending(.none),
            .diskCacheAccessExtending(.none), .alternativeSources([.file("/a")]), .allowsMetered(false),
            .readsOriginal(false), .callbackExecutor(.calling), .previews([.file("/c")]), .progressive,
        ]
        let test = TestPipeline(defaultOptions: others)
        #expect(test.pipeline.completed(ImageOptions(changes)).fields == ImageOptions().fields)
    }

    @Test("are changed by options that are equal where they make the same change")
    func equality() {
        let own = ImageOption { $0.decode.frame = 1 }
        #expect(own == own && own != ImageOption { $0.decode.frame = 1 })
        #expect(
            ImageOption(id: "frame 1") { $0.decode.frame = 1 } == ImageOption(id: "frame 1") { $0.decode.frame = 1 }
        )
        #expect(ImageOption.frame(1) == .frame(1) && ImageOption.frame(1) != .frame(2))
        #expect(ImageOption.memoryCacheExpiration(.never) != .diskCacheExpiration(.never))
        #expect(([.frame(1), own] as ImageOptions) == [.frame(1), own] && ([own] as ImageOptions) != [.frame(1)])
    }
}

extension ImagePipeline {
    fileprivate func encoded(_ request: ImageRequest) async throws -> DecodedImage? {
        _ = try await data(for: request)
        return nil
    }
}
