import FoundationEssentials
import HTTPTypes
import HalcyonTesting
import Testing

@testable import Halcyon

@Suite("A request that an interceptor has rewritten")
struct InterceptedRequestTests {
    private let url = Sample.url("requested.png")
    private let other = Sample.url("loaded.png")

    /// Returns an interceptor that loads `other` in place of `url`, before memory is looked into or after.
    private func redirecting(isPrepared: Bool) -> TestInterceptor {
        let (url, other) = (url, other)
        let redirected = { @Sendable (request: ImageRequest) -> ImageRequest in
            request.source == .url(url) ? ImageRequest(other) : request
        }
        return isPrepared
            ? TestInterceptor(preparing: redirected)
            : TestInterceptor { load in try await load.proceed(with: redirected(load.request)) }
    }

    private func pipeline(
        _ interceptor: TestInterceptor,
        defaultOptions: [ImageOption] = []
    ) -> TestPipeline {
        TestPipeline(defaultOptions: defaultOptions, interceptors: [interceptor])
    }

    @Test("is the identity in memory, on disk and of shared work", arguments: [false, true])
    func identity(isPrepared: Bool) async throws {
        let test = pipeline(redirecting(isPrepared: isPrepared))
        let tasks = [url, other].map { test.pipeline.task(for: ImageRequest($0)) }
        let transfer = await test.transport.nextTransfer()
        #expect(transfer.request.url == other)
        await eventually { test.pipeline.stages.images.waiterCount == 2 }
        transfer.answer(.init(body: Sample.png()))
        for task in tasks { #expect(try await task.response.source == .network) }
        await test.settle()
        #expect(await test.pipeline.cache.tiers(with: ImageRequest(other)) == .all)
        #expect(await test.pipeline.cache.tiers(with: ImageRequest(url)) == [])
        for url in [url, other] {
            #expect(try await test.pipeline.response(for: url).source == .memory)
            test.pipeline.cache.removeAllFromMemory()
            #expect(try await test.pipeline.response(for: url).source == .disk)
        }
        #expect(test.pipeline.responseFromMemory(for: other) != nil)
        #expect((test.pipeline.responseFromMemory(for: url) != nil) == isPrepared)
        #expect(test.transport.startedCount == 1)
    }

    @Test("has the default options of the pipeline that it does not change", arguments: [false, true])
    func defaults(isPrepared: Bool) async throws {
        let test = pipeline(
            redirecting(isPrepared: isPrepared),
            defaultOptions: [.processor(.crop(to: .pixels(8, 6)))]
        )
        test.transport.serve(other, Sample.png())
        #expect(try await test.pipeline.image(from: url).size == PixelSize(8, 6))
    }

    @Test("may ask for another size, and is found at that size")
    func size() async throws {
        let test = pipeline(
            TestInterceptor(preparing: { request in
                var request = request
                request.options.targetSize = .pixels(width: 16)
                return request
            })
        )
        test.transport.serve(url, Sample.png())
        #expect(try await test.pipeline.image(from: url).size == PixelSize(16, 12))
        #expect(test.pipeline.responseFromMemory(for: url)?.image.size == PixelSize(16, 12))
        let sized = ImageRequest(url, options: [.targetSize(.pixels(width: 16))])
        #expect(test.pipeline.cache.isInMemory(sized) && !test.pipeline.cache.isInMemory(ImageRequest(url)))
        let prepared = test.pipeline.prepared(ImageRequest(url))
        #expect(test.pipeline.cache.isInMemory(prepared))
        await test.settle()
        #expect(try await test.pipeline.cache.remove(for: prepared) > 0)
        #expect(test.pipeline.responseFromMemory(for: url) == nil)
    }

    @Test("may be sent with a token that has to be waited for, whose image no other user gets")
    func token() async throws {
        let test = TestPipeline()
        test.transport.setAnswer { request in
            .init(body: Sample.png(seed: request.headers[.authorization] == "Bearer 1" ? 1 : 2))
        }
        for user in [1, 2, 1] {
            let interceptor = TestInterceptor { load in
                await Task.yield()
                var request = load.request
                request.options.network.headers[.authorization] = "Bearer \(user)"
                return try await load.proceed(with: request)
            }
            let response = try await test.pipeline.response(for: url, options: [.interceptors(interceptor)])
            #expect(response.image.bitmap.hasSamePixels(as: Sample.bitmap(seed: user)))
        }
        #expect(test.transport.startedCount == 2)
        #expect(!test.pipeline.cache.isInMemory(ImageRequest(url)))
    }

    @Test("keeps what belongs to the caller: scale, modifier and observers")
    func delivery() async throws {
        let observer = RecordingObserver()
        let other = other
        let interceptor = TestInterceptor { load in
            let result = try await load.proceed(with: ImageRequest(other, options: [.scaleFactor(3)]))
            #expect(result.response?.image.scale == 1)
            return result
        }
        let test = pipeline(interceptor)
        test.transport.serve(other, Sample.png())
        let modifier = ImageModifier { $0.replacingBitmap(Sample.bitmap(2, 2)) }
        let options: [ImageOption] = [.scaleFactor(2), .imageModifier(modifier), .observers(observer)]
        let image = try await test.pipeline.image(from: url, options: options)
        #expect(image.scale == 2 && image.bitmap.size == PixelSize(2, 2))
        #expect(observer.texts.first == "began" && observer.texts.last == "ended network")
        #expect(Set(observer.all.map(\.source)) == [.url(url)])
    }

    @Test("may follow another one that failed, or be loaded beside it")
    func several() async throws {
        let (url, other) = (url, other)
        let test = pipeline(
            TestInterceptor { load in
                do {
                    return try await load.proceed()
                } catch let error as ImageError where error.reason == .status(404) {
                    async let first = load.proceed(with: ImageRequest(other))
                    async let second = load.proceed(with: ImageRequest(other))
                    _ = try await second
                    return try await first
                }
            }
        )
        test.transport.serve(url, Data(), status: 404)
        test.transport.serve(other, Sample.png())
        let task = test.pipeline.task(for: ImageRequest(url))
        #expect(try await task.response.source == .network)
        #expect(task.state.hasEnded)
        #expect(test.transport.startedCount == 2)
    }
}
