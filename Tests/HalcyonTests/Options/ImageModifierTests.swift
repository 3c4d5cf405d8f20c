import FoundationEssentials
import HalcyonTesting
import Testing

@testable import Halcyon

@Suite("An image modifier")
struct ImageModifierTests {
    /// Makes a bitmap of one pixel, and counts.
    private struct Reducer: ImageModifying {
        let calls: CallCounter

        func modified(_ image: DecodedImage) -> DecodedImage {
            calls.add()
            return image.replacingBitmap(Sample.bitmap(1, 1, seed: 9))
        }

        static func == (left: Reducer, right: Reducer) -> Bool { left.calls === right.calls }

        func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(calls)) }
    }

    private let test = TestPipeline()
    private let url = Sample.url()
    private let calls = CallCounter()
    private let own: [ImageOption]

    init() {
        own = [.imageModifier(Reducer(calls: calls))]
        test.transport.serve(url, Sample.png(64, 48))
    }

    @Test("changes the image from network, memory and disk, each time")
    func everyPath() async throws {
        for (index, source) in [ImageResponse.Source.network, .memory, .disk].enumerated() {
            if source == .disk { test.pipeline.cache.removeAllFromMemory() }
            let response = try await test.pipeline.response(for: url, options: own)
            #expect(response.source == source && response.image.size == PixelSize(1, 1))
            #expect(calls.value == index + 1)
            await test.settle()
        }
        #expect(test.pipeline.responseFromMemory(for: url, options: own)?.image.size == PixelSize(1, 1))
        let request = ImageRequest(url, options: own)
        #expect(test.pipeline.responseFromMemory(for: request)?.image.size == PixelSize(1, 1))
        #expect(test.pipeline.task(for: request).finishedResponse?.image.size == PixelSize(1, 1))
        #expect(calls.value == 6)
    }

    @Test("changes the result of processors, and the image of a provider")
    func otherImages() async throws {
        for _ in 0..<2 {
            let options = own + [.processor(.crop(to: .pixels(8, 8))), .waitForCache]
            #expect(try await test.pipeline.image(from: url, options: options).size == PixelSize(1, 1))
            test.pipeline.cache.removeAllFromMemory()
        }
        let request = ImageRequest(.data(Sample.png(), cacheKey: "bytes"), options: own)
        #expect(try await test.pipeline.task(for: request).image.size == PixelSize(1, 1))
        #expect(calls.value == 3)
    }

    @Test("leaves what caches have, and what others get, as it was")
    func neverStored() async throws {
        _ = try await test.pipeline.response(for: url, options: own + [.waitForCache])
        #expect(test.pipeline.responseFromMemory(for: url)?.image.size == PixelSize(64, 48))
        let request = ImageRequest(url, options: own)
        #expect(test.pipeline.cache.entryInMemory(for: request)?.image.size == PixelSize(64, 48))
        test.pipeline.cache.removeAllFromMemory()
        #expect(try await test.pipeline.cache.entry(for: request)?.image.size == PixelSize(64, 48))
        #expect(calls.value == 1)
    }

    @Test("shares all work with requests that have another or none")
    func sharing() async throws {
        test.transport.setRoute(url, nil)
        let seeds = [nil, 3, 4].map { seed -> [ImageOption] in
            guard let seed else { return [] }
            return [.imageModifier(ImageModifier { $0.replacingBitmap(Sample.bitmap(2, 2, seed: seed)) })]
        }
        let tasks = seeds.map { test.pipeline.task(for: url, options: $0) }
        let transfer = await test.transport.nextTransfer()
        await eventually { [test] in test.pipeline.stages.images.waiterCount == 3 }
        #expect(test.pipeline.stages.images.count == 1)
        transfer.answer(.init(body: Sample.png(seed: 1)))
        for (task, expected) in zip(tasks, [1, 3, 4] as [UInt8]) {
            #expect(try await task.image.bitmap.pixel(0, 0)[0] == expected)
        }
        #expect(test.counters.decodes == 1)
    }

    @Test("may set another scale than that of the request, and gets that one")
    func scale() async throws {
        let modifier = ImageModifier { image in
            var image = image
            image.scale *= 2
            return image
        }
        let options: [ImageOption] = [.imageModifier(modifier), .scaleFactor(3)]
        #expect(try await test.pipeline.image(from: url, options: options).scale == 6)
        #expect(try await test.pipeline.image(from: url, options: options).scale == 6)
    }

    @Test("may use the pipeline that runs it, as no lock is held")
    func reentrancy() async throws {
        let (pipeline, url) = (test.pipeline, url)
        let modifier = ImageModifier { image in
            _ = pipeline.responseFromMemory(for: url)
            pipeline.cache.removeAllFromMemory()
            return image
        }
        for _ in 0..<2 {
            _ = try await pipeline.response(for: url, options: [.imageModifier(modifier)])
            _ = try await pipeline.response(for: url)
            #expect(pipeline.responseFromMemory(for: url, options: [.imageModifier(modifier)]) != nil)
            #expect(pipeline.responseFromMemory(for: url) == nil)
        }
    }

    @Test("is not run by a prefetcher")
    func prefetching() async {
        let prefetcher = ImagePrefetcher(urls: [url], options: own, pipeline: test.pipeline)
        #expect(await prefetcher.run().completed.count == 1)
        #expect(calls.value == 0)
    }

    @Test("changes the image of an alternative source")
    func alternative() async throws {
        let (missing, other) = (Sample.url(), url)
        test.transport.serve(missing, Data(), status: 404)
        let options = own + [.alternativeSources([.url(other)])]
        let response = try await test.pipeline.response(for: missing, options: options)
        #expect(response.substitution != nil && response.image.size == PixelSize(1, 1) && calls.value == 1)
    }
}
