import FoundationEssentials
import HTTPTypes
import HalcyonTesting
import Testing

@testable import Halcyon

@Suite("Default options of a pipeline")
struct DefaultOptionsTests {
    private static let headers: HTTPFields = [.authorization: "Bearer configured"]

    private func pipeline() -> TestPipeline {
        let test = TestPipeline(defaultOptions: [.headers(Self.headers), .processor(.crop(to: .pixels(8, 6)))])
        test.transport.setAnswer { _ in .init(body: Sample.png()) }
        return test
    }

    /// Each way to load, with options that leave everything open, and with some that set another field.
    private static let loads: [(name: String, load: @Sendable (ImagePipeline, URL) async throws -> DecodedImage?)] = [
        ("task, URL", { try await $0.task(for: $1).image }),
        ("task, URL, no change", { try await $0.task(for: $1, options: []).image }),
        ("task, URL, value", { try await $0.task(for: ImageRequest($1, exactly: $0.options())).image }),
        ("task, URL, literal", { try await $0.task(for: $1, options: [.keepSixteenBits]).image }),
        ("task, request", { try await $0.task(for: ImageRequest($1)).image }),
        ("task, request, literal", { try await $0.task(for: ImageRequest($1, options: literal)).image }),
        ("response, URL", { try await $0.response(for: $1).image }),
        ("response, URL, no change", { try await $0.response(for: $1, options: []).image }),
        (
            "response, URL, value",
            { try await $0.response(for: ImageRequest($1, exactly: $0.options([.keepSixteenBits]))).image }
        ),
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

    private static let literal: [ImageOption] = [.keepSixteenBits]

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
            pipeline.responseFromMemory(for: url, exactly: pipeline.options()),
            pipeline.responseFromMemory(for: ImageRequest(url)),
            pipeline.responseFromMemory(for: ImageRequest(url, options: [.priority(.high)])),
            pipeline.responseFromMemory(for: ImageRequest(url, exactly: pipeline.configuration.defaultOptions)),
            pipeline.task(for: url, options: []).finishedResponse,
        ] {
            #expect(response?.image.size == PixelSize(8, 6))
        }
        #expect(pipeline.responseFromMemory(for: url, exactly: ImageOptions()) == nil)
        #expect(pipeline.responseFromMemory(for: ImageRequest(url, exactly: ImageOptions())) == nil)
        #expect(pipeline.responseFromMemory(for: url, options: [.headers([:])]) == nil)
        #expect(pipeline.responseFromMemory(for: url, options: [.processor(.identity)]) == nil)
    }

    @Test("give way to the changes of a call, field by field")
    func precedence() {
        let test = pipeline()
        let request = ImageRequest(Sample.url(), options: [.cacheMemoryOnly, .method(.post)])
        let completed = test.pipeline.completed(request).options
        #expect(!completed.cache.storesOnDisk && completed.network.method == .post)
        #expect(completed.network.headers == Self.headers && completed.processing == .crop(to: .pixels(8, 6)))
        let later = test.pipeline.completed(request.applying([.headers([.accept: "image/png"])])).options
        #expect(later.network.headers == [.accept: "image/png"] && !later.cache.storesOnDisk)
        #expect(test.pipeline.options([.cacheMemoryOnly, .method(.post)]) == completed)
    }

    @Test("are taken as they are by requests without changes, and not copied")
    func sharing() async throws {
        let test = pipeline()
        let defaults = test.pipeline.configuration.defaultOptions.storage
        #expect(test.pipeline.options().storage === defaults)
        #expect(test.pipeline.completed(ImageRequest(Sample.url())).options.storage === defaults)
        #expect(test.pipeline.task(for: Sample.url()).request.options.storage === defaults)
    }

    @Test("do not count in a whole value, nor in a request whose options were assigned")
    func wholeValues() {
        let (test, url) = (pipeline(), Sample.url())
        var options = ImageOptions()
        options.priority = .high
        let exact = ImageRequest(url, exactly: options)
        #expect(test.pipeline.completed(exact) == exact && exact.options.network.headers == [:])
        #expect(exact.applying([.keepSixteenBits]).options == options.applying([.keepSixteenBits]))
        var assigned = ImageRequest(url, options: [.keepSixteenBits])
        assigned.options.priority = .high
        #expect(assigned == exact.applying([.keepSixteenBits]))
        #expect(test.pipeline.completed(assigned) == assigned)
        #expect(ImageRequest(url) != ImageRequest(url, exactly: ImageOptions()))
        // Unless it is one of theirs.
        var whole = test.pipeline.options()
        whole.priority = .high
        #expect(whole.network.headers == Self.headers)
    }

    @Test("count for a request that gets further changes, which come last")
    func furtherChanges() {
        let (test, request) = (pipeline(), ImageRequest(Sample.url(), options: [.frame(1), .priority(.high)]))
        let further = request.applying([.frame(2)])
        let completed = test.pipeline.completed(further).options
        #expect(completed == test.pipeline.options([.frame(1), .priority(.high), .frame(2)]))
        #expect(further == ImageRequest(request.source, options: [.frame(1), .priority(.high), .frame(2)]))
        #expect(request.options.decode.frame == 1 && further != request)
    }

    @Test("give way to a field that is set to its standard value")
    func settingBack() {
        let test = pipeline()
        var copy = test.pipeline.configuration.defaultOptions
        copy.network.headers = [:]
        let exact = ImageRequest(Sample.url(), exactly: copy)
        #expect(test.pipeline.completed(exact).options.network.headers == [:])
        let request = ImageRequest(Sample.url(), options: [.headers([:]), .processor(.identity)])
        let completed = test.pipeline.completed(request)
        #expect(completed.options.network.headers == [:] && completed.options.processing == .identity)
        // Completing twice changes nothing.
        #expect(test.pipeline.completed(completed) == completed)
    }

    @Test("give way to a change of the program's own, also where it sets the standard value")
    func customChange() {
        let test = pipeline()
        let change = ImageOption {
            $0.network.headers = [:]
            $0.decode.frame = 3
        }
        let options = test.pipeline.options([change])
        #expect(options.network.headers == [:])
        #expect(options.decode.frame == 3)
        #expect(options.processing == .crop(to: .pixels(8, 6)))
        // A cache that knows no pipeline applies it to the standard values.
        #expect(ImageRequest(Sample.url(), options: [change]).options.decode.frame == 3)
    }

    @Test("are what a change of the program's own finds, between the changes beside it")
    func customChangeOfDefaults() {
        let test = pipeline()
        let append = ImageOption { $0.network.headers[.accept] = "image/avif" }
        let reset = ImageOption { $0.decode.frame = 5 }
        let completed = test.pipeline.options([append, .frame(1), reset, .frame(2), .priority(.high)])
        #expect(completed.network.headers == [.authorization: "Bearer configured", .accept: "image/avif"])
        #expect(completed.decode.frame == 2)
        #expect(completed.priority == .high)
        #expect(test.pipeline.options([.frame(1), reset]).decode.frame == 5)
        // Once more changes nothing, also where the change has undone a default.
        let undone = test.pipeline.completed(
            ImageRequest(Sample.url(), options: [ImageOption { $0.network.headers = [:] }])
        )
        #expect(test.pipeline.completed(undone) == undone && undone.options.network.headers == [:])
        // As defaults they count as well, and once.
        let chained = TestPipeline(defaultOptions: [
            ImageOption { $0.processing = $0.processing |> .crop(to: .pixels(4, 4)) }
        ])
        let once = chained.pipeline.completed(ImageRequest(Sample.url()))
        let twice = chained.pipeline.completed(once)
        #expect(twice == once && twice.options.processing == .crop(to: .pixels(4, 4)))
        let other = TestPipeline(defaultOptions: [append])
        #expect(other.pipeline.options([.frame(1)]).network.headers == [.accept: "image/avif"])
    }

    @Test("do not let one user's scope take the place of another's")
    func customScope() {
        let test = TestPipeline(defaultOptions: [.sharedAcrossCredentials])
        let (url, own) = (Sample.url(), ImageOption { $0.cache.scope = .credential })
        let keys = ["Bearer a", "Bearer b"].map { token in
            ImageKey(ImageRequest(url, exactly: test.pipeline.options([.headers([.authorization: token]), own])))
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
            .isolation(.preferred),
            .observers(LoadObserver { _ in }),
            .interceptors(TestInterceptor { try await $0.proceed() }), .loaders(SourceLoader { _, _ in nil }),
            .value("a", for: NoteKey.self),
        ]
        let test = TestPipeline(defaultOptions: changes)
        let changed = ImageOptions().applying(changes)
        #expect(test.pipeline.options() == changed)
        // Each is another change, of another field: the rest stays, in whatever order.
        #expect(Set(changes).count == changes.count && changes.count == OptionFields.count)
        #expect(ImageOptions().applying(changes.reversed()) == changed)
        for index in changes.indices {
            let others = changes[..<index] + changes[(index + 1)...]
            #expect(ImageOptions().applying(Array(others)) != changed, "\(index)")
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
        let others: [ImageOption] = [
            .processor(.crop(to: .pixels(1, 1))), .priority(.high), .headers(Self.headers), .frame(2),
            .color(.asStored), .decodeLimits(DecodeLimits(pixelCount: 7)), .staleIfError(.never),
            .serializer(.format(.png, EncodeOptions())), .memoryCacheAccessExtending(.none),
            .diskCacheAccessExtending(.none), .alternativeSources([.file("/a")]), .allowsMetered(false),
            .readsOriginal(false), .callbackExecutor(.calling), .previews([.file("/c")]), .progressive,
        ]
        let test = TestPipeline(defaultOptions: others)
        #expect(test.pipeline.options(changes) == ImageOptions())
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
        let request = ImageRequest(.file("/a"), options: [.frame(1), own])
        #expect(request == ImageRequest(.file("/a"), options: [.frame(1), own]))
        #expect(request != ImageRequest(.file("/a"), options: [.frame(1)]))
    }
}

extension ImagePipeline {
    fileprivate func encoded(_ request: ImageRequest) async throws -> DecodedImage? {
        _ = try await data(for: request)
        return nil
    }
}
