import FoundationEssentials
import HalcyonSystem
import HalcyonTesting
import Testing

@testable import Halcyon

@Suite("The answer of an interceptor")
struct InterceptorAnswerTests {
    private struct Refusal: Error, CustomStringConvertible {
        let description = "not today"
    }

    private let test = TestPipeline()
    private let url = Sample.url()
    private var pipeline: ImagePipeline { test.pipeline }

    private func options(_ load: @escaping @Sendable (InterceptedLoad) async throws -> LoadResult) -> [ImageOption] {
        [.interceptors(TestInterceptor(load))]
    }

    @Test("is given to the caller alone: nothing is loaded, and no cache has it under any key")
    func answer() async throws {
        let (observer, calls) = (RecordingObserver(), CallCounter())
        let own = options { _ in
            calls.add()
            return .pixel
        }
        let options = own + [.observers(observer), .scaleFactor(2), .waitForCache]
        for count in 1...2 {
            let response = try await pipeline.response(for: url, options: options)
            #expect(response.image.size == PixelSize(1, 1) && response.source == .data)
            #expect(response.image.scale == 2 && calls.value == count)
        }
        await test.settle()
        #expect(observer.texts == Array(repeating: ["began", "memory miss", "ended data"], count: 2).flatMap(\.self))
        #expect(test.transport.startedCount == 0)
        #expect(pipeline.cache.memoryStatistics.count == 0)
        #expect(try await pipeline.cache.diskStatistics().count == 0)
        test.transport.serve(url, Sample.png())
        #expect(try await pipeline.image(from: url).size == PixelSize(64, 48))
    }

    @Test("may be a changed response, which no cache and no other load gets")
    func changed() async throws {
        let options = options { load in
            let result = try await load.proceed()
            guard var response = result.response else { return result }
            response.image = response.image.replacingBitmap(Sample.bitmap(2, 2))
            return LoadResult(response)
        }
        let tasks = [options, []].map { pipeline.task(for: url, options: $0) }
        let transfer = await test.transport.nextTransfer()
        await eventually { [test] in test.pipeline.stages.images.waiterCount == 2 }
        transfer.answer(.init(body: Sample.png()))
        #expect(try await tasks[0].image.bitmap.size == PixelSize(2, 2))
        #expect(try await tasks[1].image.bitmap.size == PixelSize(64, 48))
        #expect(pipeline.responseFromMemory(for: url)?.image.bitmap.size == PixelSize(64, 48))
        await test.settle()
        pipeline.cache.removeAllFromMemory()
        #expect(try await pipeline.image(from: url).bitmap.size == PixelSize(64, 48))
        #expect(test.transport.startedCount == 1)
    }

    @Test("may be an error, which names the interceptor unless it is one of a load")
    func errors() async throws {
        let refused = options { _ in throw Refusal() }
        let error = try await pipeline.task(for: url, options: refused).failure()
        #expect(error.stage == .load && error.reason == .interceptor("not today") && error.code == "interceptor")
        #expect(error.source == url.absoluteString && error.message == "an interceptor failed: not today")
        let known = ImageError(stage: .source, reason: .notCached, source: "elsewhere")
        #expect(try await pipeline.task(for: url, options: options { _ in throw known }).failure() == known)
        let cancelled = options { _ in throw CancellationError() }
        await #expect(throws: CancellationError.self) { try await pipeline.response(for: url, options: cancelled) }
    }

    @Test("may be an error of its own type, which the interceptors around it see as it is")
    func ownError() async throws {
        let outer = TestInterceptor { load in
            do { return try await load.proceed() } catch is Refusal { return .pixel }
        }
        let inner = TestInterceptor { _ in throw Refusal() }
        let response = try await pipeline.response(for: url, options: [.interceptors(outer, inner)])
        #expect(response.image.size == PixelSize(1, 1))
    }

    @Test("reaches a callback once, be it an image or an error")
    func callbacks() async {
        for load: @Sendable (InterceptedLoad) async throws -> LoadResult in [
            { _ in .pixel }, { _ in throw Refusal() },
        ] {
            let (ends, ended) = (CallCounter(), Gate())
            pipeline.loadImage(with: url, options: options(load), on: .calling) { _ in
                ends.add()
                ended.open()
            }
            await ended.wait()
            await test.settle()
            #expect(ends.value == 1)
        }
    }
}
