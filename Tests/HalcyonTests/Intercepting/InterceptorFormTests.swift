import FoundationEssentials
import HalcyonSystem
import HalcyonTesting
import Testing

@testable import Halcyon

@Suite("Interceptors of every form of result")
struct InterceptorFormTests {
    private typealias Form = InterceptedLoad.Form

    /// Each way to load, with the form that it asks for.
    private static let loads: [(form: Form, load: @Sendable (ImagePipeline, URL) async throws -> Void)] = [
        (.image, { _ = try await $0.response(for: $1) }),
        (.image, { _ = try await $0.response(for: ImageRequest($1)) }),
        (.image, { _ = try await $0.image(from: $1) }),
        (.image, { _ = try await $0.task(for: $1).response }),
        (
            .image,
            { pipeline, url in
                let ended = Gate()
                pipeline.loadImage(with: url, on: .calling) { _ in ended.open() }
                await ended.wait()
            }
        ),
        (.encodedImage, { _ = try await $0.encoded(for: $1, as: .format(.png)) }),
        (.encodedImage, { _ = try await $0.encoded(for: ImageRequest($1), as: .format(.png)) { _ in } }),
        (.original, { _ = try await $0.data(for: $1) }),
        (.cacheEntry, { #expect(await ImagePrefetcher(urls: [$1], pipeline: $0).run().completed.count == 1) }),
        (
            .cacheEntry,
            { pipeline, url in
                let prefetcher = ImagePrefetcher(urls: [url], pipeline: pipeline, destination: .disk)
                #expect(await prefetcher.run().completed.count == 1)
            }
        ),
    ]

    private let url = Sample.url()

    @Test(
        "are told the form of the result, and prepare a request once, whichever function is called",
        arguments: loads.indices
    )
    func everyFunction(index: Int) async throws {
        let log = CallLog()
        let other = Sample.url("other.png")
        let interceptor = TestInterceptor(preparing: { request in
            log.add("prepare")
            return request
        }) { load in
            log.add(load.form.rawValue)
            let result = try await load.proceed(with: ImageRequest(other))
            let forms: [Form?] = [
                result.response.map { _ in .image }, result.encodedImage.map { _ in .encodedImage },
                result.originalData.map { _ in .original },
            ]
            #expect(forms.compactMap(\.self) == (load.form == .cacheEntry ? [] : [load.form]))
            #expect(result.source == .network)
            return result
        }
        let test = TestPipeline(interceptors: [interceptor])
        test.transport.serve(other, Sample.png())
        let (form, load) = Self.loads[index]
        try await load(test.pipeline, url)
        #expect(log.texts == ["prepare", form.rawValue])
        #expect(test.transport.transfers.map(\.request.url) == [other])
    }

    /// A pipeline whose loads are answered with one pixel.
    private func answering() -> TestPipeline {
        TestPipeline(interceptors: [TestInterceptor { _ in .pixel }])
    }

    private func expectEmptyCaches(_ test: TestPipeline) async throws {
        await test.settle()
        #expect(test.pipeline.cache.memoryStatistics.count == 0)
        #expect(try await test.pipeline.cache.diskStatistics().count == 0)
        #expect(test.transport.startedCount == 0)
    }

    @Test("have their answer encoded for a caller that asks for encoded bytes, and it is stored nowhere")
    func encoded() async throws {
        let test = answering()
        let image = try await test.pipeline.encoded(for: url, as: .format(.png))
        #expect(image.format == .png && image.size == PixelSize(1, 1) && image.source == .data)
        let decoded = try ImageCodecs.standard.decode(image.data)
        #expect(decoded.bitmap.hasSamePixels(as: Sample.bitmap(1, 1, seed: 9)))
        #expect(test.pipeline.encodedFromMemory(for: ImageRequest(url), as: .format(.png)) == nil)
        try await expectEmptyCaches(test)
    }

    @Test("give the bytes of their answer, or a PNG of it, to a caller that asks for an original")
    func original() async throws {
        let test = answering()
        let data = try await test.pipeline.data(for: url)
        #expect(try ImageCodecs.standard.decode(data).info.format == .png)
        try await expectEmptyCaches(test)
        let bytes = Sample.jpeg()
        let interceptor = TestInterceptor { _ in
            var response = try #require(LoadResult.pixel.response)
            response.data = bytes
            return LoadResult(response)
        }
        let own = TestPipeline(interceptors: [interceptor])
        #expect(try await own.pipeline.data(for: url) == bytes)
    }

    @Test("make a prefetch one that is skipped where they answer", arguments: [false, true])
    func prefetch(isDisk: Bool) async throws {
        let test = answering()
        let prefetcher = ImagePrefetcher(
            urls: [url],
            pipeline: test.pipeline,
            destination: isDisk ? .disk : .memory
        )
        let result = await prefetcher.run()
        #expect(result.skipped.count == 1 && result.completed.isEmpty && result.failed.isEmpty)
        try await expectEmptyCaches(test)
    }

    @Test("cannot give the result of a load of one form to a caller of another")
    func mismatch() async throws {
        let kept = Lock<LoadResult?>(nil)
        let interceptor = TestInterceptor { load in
            if let result = kept.withLock({ $0 }) { return result }
            let result = try await load.proceed()
            kept.withLock { $0 = result }
            return result
        }
        let test = TestPipeline(interceptors: [interceptor])
        test.transport.serve(url, Sample.png())
        _ = try await test.pipeline.data(for: url)
        let error = try await test.pipeline.task(for: ImageRequest(url)).failure()
        #expect(error.code == "interceptor")
    }
}
