import FoundationEssentials
import HalcyonSystem
import HalcyonTesting
import Testing

@testable import Halcyon

@Suite("A loader of sources")
struct SourceLoaderTests {
    private let calls = CallLog()

    /// Returns a URL of the scheme "page".
    private func page(_ number: Int) throws -> URL { try #require(URL(string: "page:///\(number)")) }

    /// A loader of that scheme, which notes the names of the pages.
    private var pages: SourceLoader {
        SourceLoader(scheme: "Page") { [calls] url in
            calls.add(url.lastPathComponent)
            return Sample.png()
        }
    }

    @Test("loads the URLs of a scheme, which are images as any others", arguments: [false, true])
    func scheme(isOption: Bool) async throws {
        let test = TestPipeline(
            defaultOptions: isOption ? [.loaders(pages)] : [],
            loaders: isOption ? [] : [pages]
        )
        let (first, second) = (try page(1), try page(2))
        #expect(try await test.pipeline.response(for: first).source == .data)
        #expect(test.pipeline.responseFromMemory(for: first) != nil)
        #expect(test.pipeline.task(for: ImageRequest(first)).finishedResponse != nil)
        #expect(test.pipeline.responseFromMemory(for: second) == nil)
        await test.settle()
        test.pipeline.cache.removeAllFromMemory()
        #expect(try await test.pipeline.response(for: first).source == .disk)
        #expect(try await test.pipeline.encoded(for: second, as: .format(.png)).size == PixelSize(64, 48))
        #expect(try await test.pipeline.data(for: try page(3)) == Sample.png())
        #expect(calls.texts == ["1", "2", "3"])
    }

    @Test("keeps the images of different credentials apart, as those of a server, also under one cache key")
    func credentials() async throws {
        let loader = SourceLoader { _, options in
            let seed = options.network.headers[.authorization] == "Bearer 1" ? 1 : 2
            return ClosureImageDataProvider(cacheKey: "logo") { Sample.png(seed: seed) }
        }
        let test = TestPipeline(loaders: [loader])
        for key in [nil, "mark"] {
            let source = Source.url(Sample.url(), cacheKey: key)
            for seed in [1, 2, 1] {
                let options: [ImageOption] = [.headers([.authorization: "Bearer \(seed)"])]
                let image = try await test.pipeline.image(from: ImageRequest(source, options: options))
                #expect(image.bitmap.pixel(0, 0)[0] == UInt8(seed))
            }
            #expect(test.pipeline.responseFromMemory(for: ImageRequest(source)) == nil)
        }
    }

    @Test("of a scheme names no user in a cache, whose images are kept apart")
    func users() async throws {
        let test = TestPipeline(loaders: [pages])
        let keys = try ["page://host/1", "page://one:secret@host/1", "page://two:secret@host/1"].map { text in
            let request = ImageRequest(try #require(URL(string: text)))
            return try #require(ImageKey(test.pipeline.prepared(request)))
        }
        #expect(Set(keys).count == 3)
        #expect(keys.allSatisfy { $0.original.text == "page://host/1" && !$0.originalDiskKey.contains("secret") })
        let own = try #require(URL(string: "page://one:secret@host/1"))
        _ = try await test.pipeline.image(from: own)
        #expect(test.pipeline.responseFromMemory(for: own) != nil)
        #expect(test.pipeline.responseFromMemory(for: try #require(URL(string: "page://host/1"))) == nil)
    }

    @Test("leaves the URLs that none of them knows as they are")
    func unknown() async throws {
        let test = TestPipeline(loaders: [pages])
        let url = try #require(URL(string: "book:///1"))
        #expect(await reason { try await test.pipeline.response(for: url) } == .invalidURL("book:///1"))
        let known = Sample.url()
        test.transport.serve(known, Sample.png())
        #expect(try await test.pipeline.response(for: known).source == .network)
        #expect(await reason { try await TestPipeline().pipeline.response(for: page(1)) } == .invalidURL("page:///1"))
    }

    @Test("is asked after those before it, the ones of the request first, and not about providers")
    func order() async throws {
        func loader(_ name: String, loads: Bool) -> SourceLoader {
            SourceLoader { [calls] _, _ in
                calls.add(name)
                return loads ? ClosureImageDataProvider(cacheKey: name) { Sample.png() } : nil
            }
        }
        let test = TestPipeline(loaders: [loader("c", loads: true), loader("d", loads: true)])
        let options: [ImageOption] = [.loaders(loader("a", loads: false), loader("b", loads: true))]
        _ = try await test.pipeline.response(for: page(1), options: options)
        #expect(calls.take() == ["a", "b"])
        _ = try await test.pipeline.response(for: page(1), options: [.loaders(loader("a", loads: false))])
        #expect(calls.take() == ["a", "c"])
        _ = try await test.pipeline.response(for: ImageRequest(.closure(cacheKey: "own") { Sample.png() }))
        #expect(calls.take() == [])
    }

    @Test("names the image by its provider: two sources of one name are one image, and a cache key goes before it")
    func identity() async throws {
        let loader = SourceLoader { [calls] source, _ in
            guard source.url?.scheme == "page" else { return nil }
            return ClosureImageDataProvider(cacheKey: "the page") {
                calls.add("load")
                return Sample.png()
            }
        }
        let test = TestPipeline(loaders: [loader])
        #expect(try await test.pipeline.response(for: page(1)).source == .data)
        #expect(try await test.pipeline.response(for: page(2)).source == .memory)
        let named = ImageRequest(.url(try page(3), cacheKey: "another"))
        #expect(try await test.pipeline.response(for: named).source == .data)
        #expect(test.pipeline.cache.isInMemory(ImageRequest(.data(Data(), cacheKey: "another"))))
        await test.settle()
        let prepared = test.pipeline.prepared(ImageRequest(try page(2)))
        #expect(try await test.pipeline.cache.remove(for: prepared) > 0)
        #expect(test.pipeline.responseFromMemory(for: try page(1)) == nil)
        #expect(calls.texts == ["load", "load"])
    }

    @Test("may load what a server would have sent")
    func network() async throws {
        let url = Sample.url()
        let loader = SourceLoader { source, _ in
            guard source.url == url else { return nil }
            return ClosureImageDataProvider(cacheKey: "local") { Sample.png() }
        }
        let test = TestPipeline(loaders: [loader])
        #expect(try await test.pipeline.response(for: url).source == .data)
        #expect(try await test.pipeline.response(for: url).source == .memory)
        #expect(test.transport.startedCount == 0)
        #expect(!test.pipeline.cache.isInMemory(ImageRequest(url)))
    }

    @Test("loads sources in place of another, and previews")
    func otherSources() async throws {
        let test = TestPipeline(loaders: [pages])
        let url = Sample.url()
        let options: [ImageOption] = [.alternativeSources([.url(try page(1))]), .previews([.url(try page(2))])]
        let task = test.pipeline.task(for: url, options: options)
        var previews = task.previews.makeAsyncIterator()
        #expect(await previews.next() != nil)
        await test.transport.nextTransfer().answer(.init(status: 404))
        #expect(try await task.response.substitution?.failures.count == 1)
        #expect(calls.texts == ["2", "1"])
    }

    @Test("loads a thumbnail, which is reduced as that of a file is, and is not the whole image")
    func thumbnail() async throws {
        let loader = SourceLoader { _, _ in
            ClosureImageDataProvider(cacheKey: "photo") { Sample.encoded(Sample.noise(300, 200), .png) }
        }
        let test = TestPipeline(loaders: [loader])
        let (pipeline, path) = (test.pipeline, "/folder/photo.png")
        let sources = [Source.thumbnail(ofFile: path), .thumbnail(ofFile: path, size: .large), .file(path)]
        let sizes = [PixelSize(128, 85), PixelSize(256, 171), PixelSize(300, 200)]
        for (source, size) in zip(sources, sizes) {
            #expect(try await pipeline.image(from: ImageRequest(source)).size == size)
        }
        for (source, size) in zip(sources, sizes) {
            #expect(pipeline.responseFromMemory(for: ImageRequest(source))?.image.size == size)
        }
        let prepared = Set(sources.map { pipeline.prepared(ImageRequest($0)).source })
        #expect(prepared.count == 3)
    }

    @Test("keeps the images of different users apart in a prefetcher, also where they are prepared before")
    func prefetchedUsers() async throws {
        let loader = SourceLoader { _, _ in ClosureImageDataProvider(cacheKey: "photo") { Sample.png() } }
        let test = TestPipeline(loaders: [loader])
        let requests = try ["first", "second", "first"].map { user in
            test.pipeline.prepared(ImageRequest(try #require(URL(string: "photos://\(user)@host/photo"))))
        }
        let sequence: ReversedCollection<[ImageRequest]> = requests.reversed()
        let result = await ImagePrefetcher(requests: sequence, pipeline: test.pipeline).run()
        #expect(result.counts.completedCount == 2 && result.counts.totalCount == 2)
    }

    @Test("loads what an interceptor goes on with")
    func interceptor() async throws {
        let first = try page(1)
        let interceptor = TestInterceptor { try await $0.proceed(with: ImageRequest(first)) }
        let test = TestPipeline(interceptors: [interceptor], loaders: [pages])
        #expect(try await test.pipeline.response(for: Sample.url()).source == .data)
        #expect(calls.texts == ["1"])
    }

    @Test("may load in its own pipeline what it is asked for: it does not come to that load, and others do")
    func nested() async throws {
        let (pipeline, calls, url) = (Lock<ImagePipeline?>(nil), calls, Sample.url())
        let first = SourceLoader { _, _ in
            calls.add("first")
            let pipeline = pipeline.withLock { $0 }
            _ = pipeline?.responseFromMemory(for: url)
            return ClosureImageDataProvider(cacheKey: "turned") {
                Data(try await pipeline?.data(for: url).reversed() ?? [])
            }
        }
        let second = SourceLoader { _, _ in
            calls.add("second")
            return nil
        }
        let test = TestPipeline(loaders: [first, second])
        pipeline.withLock { $0 = test.pipeline }
        defer { pipeline.withLock { $0 = nil } }
        test.transport.serve(url, Data(Sample.png().reversed()))
        #expect(try await test.pipeline.response(for: url).source == .data)
        #expect(calls.texts == ["first", "second", "second"])
        #expect(test.transport.startedCount == 1)
    }

    @Test("may load what another one loads, also while that one loads what this one does")
    func mutual() async throws {
        let (pipeline, calls, gate) = (Lock<ImagePipeline?>(nil), calls, Gate())
        let urls = [Sample.url("first"), Sample.url("second")]
        let loaders = [0, 1].map { index in
            SourceLoader { source, _ in
                guard source.url == urls[index] else { return nil }
                let pipeline = pipeline.withLock { $0 }
                return ClosureImageDataProvider(cacheKey: "loaded \(index)") {
                    calls.add("\(index)")
                    await gate.wait()
                    _ = try await pipeline?.image(from: urls[1 - index])
                    return Sample.png()
                }
            }
        }
        let test = TestPipeline(loaders: loaders)
        pipeline.withLock { $0 = test.pipeline }
        defer { pipeline.withLock { $0 = nil } }
        for url in urls { test.transport.serve(url, Sample.png()) }
        let loadedCount = Lock(0)
        let loads = urls.map { url in
            Task {
                _ = try await test.pipeline.image(from: url)
                loadedCount.withLock { $0 += 1 }
            }
        }
        await eventually { calls.texts.count == 2 }
        // Each is loading, and goes on with what the other one loads.
        gate.open()
        await eventually { loadedCount.withLock { $0 } == 2 }
        for load in loads { load.cancel() }
        // The first to end has asked the other one's provider for itself, whose load came to no loader.
        #expect(calls.texts.count > 2 && test.transport.startedCount > 0)
    }

    @Test("has a provider whose loads come to every interceptor, also to the one that went on with its URL")
    func nestedAfterInterceptor() async throws {
        let (pipeline, calls, url) = (Lock<ImagePipeline?>(nil), calls, Sample.url())
        let loader = SourceLoader { _, _ in
            let pipeline = pipeline.withLock { $0 }
            return ClosureImageDataProvider(cacheKey: "loaded") { try await pipeline?.data(for: url) ?? Data() }
        }
        let interceptor = TestInterceptor { load in
            calls.add("\(load.form)")
            return try await load.form == .image ? load.proceed(with: ImageRequest(url)) : load.proceed()
        }
        let test = TestPipeline(interceptors: [interceptor], loaders: [loader])
        pipeline.withLock { $0 = test.pipeline }
        defer { pipeline.withLock { $0 = nil } }
        test.transport.serve(url, Sample.png())
        #expect(try await test.pipeline.response(for: Sample.url()).source == .data)
        #expect(calls.texts == ["image", "original"])
    }

    @Test("leaves its URL to an interceptor, also that of a file, and no name of the image")
    func interceptedURL() async throws {
        let loader = SourceLoader { [calls] source, _ in
            calls.add(source.url?.lastPathComponent ?? "none")
            return ClosureImageDataProvider(cacheKey: "the page") { Sample.png() }
        }
        let seen = CallLog()
        let interceptor = TestInterceptor { load in
            seen.add(load.request.source.url?.absoluteString ?? "none")
            return try await load.proceed(with: load.request)
        }
        let test = TestPipeline(interceptors: [interceptor], loaders: [loader])
        let file = Source.file("/folder/a b.png")
        #expect(try await test.pipeline.response(for: page(1)).source == .data)
        #expect(test.pipeline.responseFromMemory(for: ImageRequest(file)) != nil)
        let prepared = test.pipeline.prepared(ImageRequest(file))
        #expect(prepared.source.url == file.url && prepared.source.url?.isFileURL == true)
        #expect(prepared.source == Source.provider(ClosureImageDataProvider(cacheKey: "the page") { Data() }))
        _ = try await test.pipeline.response(for: ImageRequest(.file("/folder/b.png"), options: [.forceRefresh]))
        #expect(seen.texts == ["page:///1", "file:///folder/b.png"])
        // What an interceptor goes on with is a provider already, about which no loader is asked.
        #expect(calls.texts == ["1", "a b.png", "a b.png", "b.png"])
    }

    @Test("reports progress, obeys the limit of bytes, and is asked once for equal loads")
    func stream() async throws {
        let data = Sample.png()
        let (gate, asked) = (Gate(), CallCounter())
        let loader = SourceLoader { source, _ in
            guard source.url?.scheme == "page" else { return nil }
            return ClosureStreamProvider(cacheKey: "stream", expectedByteCount: data.count) {
                asked.add()
                return AsyncStream { continuation in
                    continuation.yield(data.prefix(10))
                    Task {
                        await gate.wait()
                        continuation.yield(data.dropFirst(10))
                        continuation.finish()
                    }
                }
            }
        }
        let test = TestPipeline(loaders: [loader])
        let tasks = [try page(1), try page(2)].map { test.pipeline.task(for: ImageRequest($0)) }
        await eventually { tasks[0].progress.receivedBytes == 10 && tasks[1].progress.receivedBytes == 10 }
        #expect(tasks[0].progress.expectedBytes == data.count)
        gate.open()
        for task in tasks { #expect(try await task.image.size == PixelSize(64, 48)) }
        #expect(asked.value == 1)
        let limit = ImageOption { $0.network.limits = TransferLimits(bodyBytes: 9) }
        let limited = test.pipeline.task(for: try page(1), options: [limit, .forceRefresh])
        #expect(
            try await limited.failure().reason == .provider("the provider has more than the 9 bytes allowed")
        )
    }

    @Test("is stopped when the load is cancelled")
    func cancellation() async throws {
        let (hasStarted, hasStopped) = (Gate(), Gate())
        let loader = SourceLoader(scheme: "page") { _ in
            hasStarted.open()
            return await withTaskCancellationHandler {
                await hasStopped.wait()
                return Data()
            } onCancel: {
                hasStopped.open()
            }
        }
        let test = TestPipeline(loaders: [loader])
        let task = test.pipeline.task(for: ImageRequest(try page(1)))
        await hasStarted.wait()
        task.cancel()
        await hasStopped.wait()
        await #expect(throws: CancellationError.self) { try await task.response }
    }

    @Test("brings images onto the disk ahead of time")
    func prefetch() async throws {
        let test = TestPipeline(loaders: [pages])
        let prefetcher = ImagePrefetcher(urls: [try page(1)], pipeline: test.pipeline, destination: .disk)
        #expect(await prefetcher.run().completed.count == 1)
        await test.settle()
        #expect(try await test.pipeline.response(for: page(1)).source == .disk)
        #expect(calls.texts == ["1"])
    }
}
