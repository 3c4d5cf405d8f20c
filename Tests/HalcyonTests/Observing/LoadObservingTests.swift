import FoundationEssentials
import HalcyonSystem
import HalcyonTesting
import Testing

@testable import Halcyon

@Suite("Observers of loads")
struct LoadObservingTests {
    private let observer = RecordingObserver()
    private let test: TestPipeline
    private let url = Sample.url()

    init() {
        test = TestPipeline(observers: [observer])
    }

    private var pipeline: ImagePipeline { test.pipeline }
    private let crop = ImageOption.processor(.crop(to: .pixels(20, 10)))

    @Test("see a load from the network, in the order in which it happens")
    func network() async throws {
        test.transport.serve(url, Sample.png())
        _ = try await pipeline.response(for: url, options: [crop])
        #expect(
            observer.texts == [
                "began", "memory miss", "disk result miss", "transfer", "received 200", "disk original miss",
                "decoded 64×48", "CropProcessor 20×10", "stored memory", "stored result", "ended network",
            ]
        )
    }

    @Test("see a hit in memory, in the disk's results, and in its originals")
    func caches() async throws {
        test.transport.serve(url, Sample.png())
        _ = try await pipeline.response(for: url, options: [crop, .cacheOriginalImage])
        await test.settle()
        _ = try await pipeline.response(for: url, options: [crop])
        #expect(observer.textsByLoad.last == ["began", "memory hit", "ended memory"])
        pipeline.cache.removeAllFromMemory()
        _ = try await pipeline.response(for: url, options: [crop])
        #expect(observer.textsByLoad.last == ["began", "memory miss", "disk result hit", "ended disk"])
        _ = try await pipeline.response(for: url)
        #expect(
            observer.textsByLoad.last
                == ["began", "memory miss", "disk original hit", "decoded 64×48", "stored memory", "ended disk"]
        )
    }

    @Test("see each look into memory that finds the image, whichever function asks", arguments: ["", "user:secret@"])
    func memory(user: String) async throws {
        let url = try #require(URL(string: "https://\(user)images.example/a.png"))
        test.transport.serve(url, Sample.png())
        _ = try await pipeline.response(for: url)
        let task = pipeline.task(for: ImageRequest(url))
        _ = try await task.response
        #expect(pipeline.responseFromMemory(for: url) != nil)
        #expect(pipeline.responseFromMemory(for: ImageRequest(url)) != nil)
        #expect(
            observer.textsByLoad.dropFirst()
                == Array(repeating: ["began", "memory hit", "ended memory"], count: 3)[...]
        )
    }

    @Test("see of shared work that it was joined, and which load has begun it")
    func shared() async throws {
        let first = pipeline.task(for: ImageRequest(url))
        let transfer = await test.transport.nextTransfer()
        let second = pipeline.task(for: ImageRequest(url))
        await eventually { pipeline.stages.images.waiterCount == 2 }
        transfer.answer(.init(body: Sample.png()))
        _ = try await (first.response, second.response)
        let loads = observer.textsByLoad
        #expect(loads.count == 2)
        #expect(loads.first?.contains { $0.hasPrefix("shared") } == false)
        #expect(loads.first?.last == "ended network")
        #expect(loads.last?.prefix(3) == ["began", "memory miss", "joined image"])
        #expect(loads.last?.contains("shared received 200") == true)
        #expect(loads.last?.last == "ended network")
        #expect(loads.last?.contains("received 200") == false)
        #expect(observer.all.filter { !$0.isShared && $0.text.hasPrefix("received") }.count == 1)
    }

    @Test("see the work as that of the next load once the one that has begun it is cancelled")
    func inherited() async throws {
        let first = pipeline.task(for: ImageRequest(url))
        let transfer = await test.transport.nextTransfer()
        let second = pipeline.task(for: ImageRequest(url))
        await eventually { pipeline.stages.images.waiterCount == 2 }
        first.cancel()
        await #expect(throws: CancellationError.self) { try await first.response }
        transfer.answer(.init(body: Sample.png()))
        _ = try await second.response
        #expect(observer.textsByLoad.first?.last == "cancelled")
        #expect(observer.textsByLoad.last?.contains("received 200") == true)
    }

    @Test("see failures, attempts and alternatives")
    func failures() async throws {
        let other = Sample.url("other.png")
        test.transport.serve(url, Data(), status: 503)
        test.transport.serve(other, Sample.png())
        let retry = ImageOption.retry(.fixed(maxAttempts: 2, base: .zero))
        _ = try await pipeline.response(for: url, options: [retry, .alternativeSources([.url(other)])])
        let texts = observer.texts
        #expect(texts.filter { $0 == "received 503" }.count == 2)
        #expect(texts.filter { $0 == "retrying status" }.count == 1)
        #expect(texts.filter { $0 == "alternative status" }.count == 1)
        #expect(texts.last == "ended network")
        await #expect(throws: ImageError.self) { try await pipeline.response(for: url) }
        #expect(observer.texts.last == "failed status")
    }

    @Test("see the end of a cancelled load, and nothing after it")
    func cancelled() async throws {
        let task = pipeline.task(for: ImageRequest(url))
        let transfer = await test.transport.nextTransfer()
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.response }
        await transfer.waitUntilCancelled()
        await test.settle()
        #expect(observer.texts.first == "began")
        #expect(observer.texts.last == "cancelled")
        #expect(observer.texts.filter { $0 == "cancelled" }.count == 1)
    }

    @Test("of one request see its loads alone, also from memory")
    func ofRequest() async throws {
        let own = RecordingObserver()
        let test = TestPipeline()
        let (url, other) = (Sample.url(), Sample.url())
        test.transport.serve(url, Sample.png())
        test.transport.serve(other, Sample.png())
        _ = try await test.pipeline.response(for: other)
        _ = try await test.pipeline.response(for: url, options: [.observers(own)])
        _ = try await test.pipeline.response(for: url, options: [.observers(own)])
        _ = try await test.pipeline.response(for: url)
        #expect(own.textsByLoad.count == 2)
        #expect(own.textsByLoad.first?.contains("received 200") == true)
        #expect(own.textsByLoad.last == ["began", "memory hit", "ended memory"])
    }

    @Test("share all work with requests that are not observed")
    func noPartOfKeys() async throws {
        let test = TestPipeline()
        test.transport.serve(url, Sample.png())
        _ = try await test.pipeline.response(for: url, options: [.observers(RecordingObserver())])
        #expect(test.pipeline.responseFromMemory(for: url) != nil)
        #expect(test.transport.startedCount == 1)
    }

    @Test("may load images themselves")
    func reentrant() async throws {
        let test = Lock<TestPipeline?>(nil)
        let found = Lock<[Bool]>([])
        let url = url
        let caller = LoadObserver { observation in
            guard case .ended(.succeeded(.network), _) = observation.activity else { return }
            let pipeline = test.withLock { $0?.pipeline }
            let isFound = pipeline?.responseFromMemory(for: url) != nil
            found.withLock { $0.append(isFound) }
        }
        let pipeline = TestPipeline(observers: [caller])
        test.withLock { $0 = pipeline }
        defer { test.withLock { $0 = nil } }
        pipeline.transport.serve(url, Sample.png())
        _ = try await pipeline.pipeline.response(for: url)
        #expect(found.withLock { $0 } == [true])
    }

    @Test("see encoded images, prefetched ones, and files")
    func otherLoads() async throws {
        test.transport.serve(url, Sample.png())
        _ = try await pipeline.encoded(for: url, as: .format(.webp))
        #expect(observer.texts.contains("encoded WebP"))
        #expect(observer.texts.last == "ended network")
        _ = try await pipeline.encoded(for: url, as: .format(.webp))
        #expect(observer.textsByLoad.last == ["began", "memory hit", "ended memory"])
        let other = Sample.url()
        test.transport.serve(other, Sample.png())
        await ImagePrefetcher(urls: [other], pipeline: pipeline, destination: .disk).run()
        #expect(observer.textsByLoad.last?.suffix(2) == ["stored original", "ended network"])
        let data = Sample.png()
        _ = try await pipeline.response(for: ImageRequest(.data(data, cacheKey: "sample")))
        #expect(observer.textsByLoad.last?.contains("read \(data.count)") == true)
        #expect(observer.texts.last == "ended data")
    }

    @Test("see a prefetched image that memory has as a hit, also of a request that is intercepted")
    func prefetchedHits() async throws {
        test.transport.serve(url, Sample.png())
        let processed: [ImageOption] = [.processor(.crop(to: .pixels(2, 2)))]
        let intercepted: [ImageOption] = [.interceptors(TestInterceptor { try await $0.proceed() })]
        for options in [[], processed, intercepted] {
            _ = try await pipeline.response(for: url, options: options)
            let loads = pipeline.statistics.loads
            let result = await ImagePrefetcher(urls: [url], options: options, pipeline: pipeline).run()
            #expect(result.counts.skippedCount == 1 && pipeline.statistics.loads == loads)
            #expect(observer.textsByLoad.last == ["began", "memory hit", "ended memory"])
        }
    }

    @Test("get names of sources without what may be secret in them")
    func names() {
        func name(_ text: String) -> String? {
            URL(string: text).map { url in
                LoadObservation(load: 1, source: .url(url), options: ImageOptions(), activity: .began, isShared: false)
                    .sourceName
            }
        }
        #expect(name("https://user:secret@a.example/b/c.png?token=1#d") == "https://a.example/b/c.png")
        #expect(name("https://token@a.example") == "https://a.example")
        #expect(name("https://a.example/@b?c@d") == "https://a.example/@b")
        for url in ["https://user:pa/ss@a.example/b", "https:/user:secret@a.example/b", "user:secret@a.example"] {
            let observation = LoadObservation(
                load: 1,
                source: Source(.invalid(url: ExactString(url)), cacheKey: nil),
                options: ImageOptions(),
                activity: .began,
                isShared: false
            )
            #expect(observation.sourceName == "an invalid URL")
        }
    }
}
