import FoundationEssentials
import HalcyonFormats
import HalcyonSystem
import HalcyonTesting
import Testing

@testable import Halcyon

@Suite("The budget for decoded pixels")
struct DecodeBudgetTests {
    /// A count, and the highest value it ever had.
    private final class Level: Sendable {
        private let state = Lock((now: 0, most: 0))

        var most: Int { state.withLock { $0.most } }
        var now: Int { state.withLock { $0.now } }

        func rise() {
            state.withLock { state in
                state.now += 1
                state.most = max(state.most, state.now)
            }
        }

        func fall() { state.withLock { $0.now -= 1 } }
    }

    /// A processor that reports when it has consumed an image, and takes another size than that of the image while it
    /// works.
    private struct ObservedProcessor: ImageProcessing {
        var number = 0
        var largest: PixelSize?
        var began: @Sendable () -> Void = {}
        var ended: @Sendable () -> Void = {}

        static func == (left: Self, right: Self) -> Bool {
            left.largest == right.largest && left.number == right.number
        }

        func hash(into hasher: inout Hasher) { hasher.combine(number) }

        func encodeParameters(into encoder: inout CacheKeyEncoder) {
            encoder.encode(number)
            encoder.encode(largest?.width ?? 0)
        }

        func workingSize(for image: DecodedImage) -> PixelSize { largest ?? image.size }

        func process(_ image: DecodedImage, isCancelled: @Sendable () -> Bool) throws -> DecodedImage {
            began()
            defer { ended() }
            return image
        }
    }

    /// Makes an image of 200 × 200 pixels.
    private struct EnlargingProcessor: ImageProcessing {
        var ended: @Sendable () -> Void

        static func == (left: Self, right: Self) -> Bool { true }

        func hash(into hasher: inout Hasher) {}

        func encodeParameters(into encoder: inout CacheKeyEncoder) {}

        func workingSize(for image: DecodedImage) -> PixelSize { PixelSize(200, 200) }

        func process(_ image: DecodedImage, isCancelled: @Sendable () -> Bool) throws -> DecodedImage {
            defer { ended() }
            let resize = ResizeProcessor(size: .pixels(200, 200), mode: .stretch, enlarges: true)
            return try resize.process(image, isCancelled: isCancelled)
        }
    }

    private func urls(_ count: Int, _ test: TestPipeline, _ body: Data = Sample.png()) -> [URL] {
        (0..<count).map { number in
            let url = Sample.url("\(number)")
            test.transport.serve(url, body)
            return url
        }
    }

    @Test("counts all the memory of a bitmap, with the padding of its rows")
    func padding() throws {
        for depth in SampleDepth.allCases {
            for size in [PixelSize(1, 1_000), PixelSize(17, 9), PixelSize(64, 3)] {
                let bitmap = try Bitmap(size: size, depth: depth)
                #expect(size.bitmapByteCount(depth: depth) == bitmap.byteCount)
            }
        }
        #expect(PixelSize(.max, .max).bitmapByteCount(depth: .eight) == .max)
    }

    @Test("holds for images that wait to be processed", arguments: [1, 2])
    func waiting(steps: Int) async throws {
        let pixels = 64 * 48 * 4
        let bitmaps = Level()
        let held = HeldCall()
        let codecs = ImageCodecs.observed { call, _ in
            guard call == .decode else { return }
            held.pass()
            bitmaps.rise()
        }
        let test = TestPipeline(workerCount: 1, codecs: codecs, decodeBudget: 2 * pixels)
        let last = ObservedProcessor(largest: PixelSize(1, 1), ended: { bitmaps.fall() })
        var chain = ImageProcessorChain(last)
        if steps > 1 { chain = ImageProcessorChain(ObservedProcessor()) |> chain }
        held.arm()
        let tasks = urls(12, test).map { test.pipeline.task(for: $0, options: [.processor(chain), .cacheMemoryOnly]) }
        await held.waitUntilReached()
        await eventually { [stages = test.pipeline.stages] in
            stages.workers.waitingCount == tasks.count - 1
        }
        held.release()
        for task in tasks { _ = try await task.image }
        #expect(bitmaps.most <= 2)
    }

    @Test("lets no chains of one original go faster than their results are used")
    func chains() async throws {
        let results = Level()
        let held = HeldCall()
        let codecs = ImageCodecs.observed { call, _ in if call == .decode { held.pass() } }
        let test = TestPipeline(workerCount: 1, codecs: codecs, decodeBudget: 2 * 64 * 48 * 4)
        let last = ImageProcessorChain(ObservedProcessor(largest: PixelSize(1, 1), ended: { results.fall() }))
        held.arm()
        let url = urls(1, test)[0]
        let tasks = (1...12).map { number in
            let first = ObservedProcessor(number: number, ended: { results.rise() })
            let options: [ImageOption] = [.processor(ImageProcessorChain(first) |> last), .cacheMemoryOnly]
            return test.pipeline.task(for: url, options: options)
        }
        await held.waitUntilReached()
        await eventually { [stages = test.pipeline.stages] in stages.decoding.work.waiterCount == tasks.count }
        held.release()
        for task in tasks { _ = try await task.image }
        // One takes the place of the original, two have parts of their own.
        #expect(results.most <= 3)
    }

    @Test("ends no load that waits for its result to be encoded and stored")
    func encoding() async throws {
        let test = TestPipeline(decodeBudget: 64 * 48 * 4)
        let chain = ImageProcessorChain(ObservedProcessor()) |> .crop(to: .pixels(60, 40))
        let options: [ImageOption] = [.processor(chain), .waitForCache]
        let tasks = urls(6, test).map { test.pipeline.task(for: $0, options: options) }
        for task in tasks { #expect(try await task.image.size == PixelSize(60, 40)) }
        #expect(try await test.pipeline.cache.diskStatistics().count == 6)
    }

    @Test("ends no load whose first frame takes all of it while it waits for the other frames", arguments: [1, 4])
    func preloadedAnimations(count: Int) async throws {
        let size = PixelSize(24, 16)
        let test = TestPipeline(codecs: .standard, decodeBudget: size.bitmapByteCount(depth: .eight))
        let options: [ImageOption] = [.animation(.preloaded), .cacheMemoryOnly]
        let tasks = urls(count, test, AnimationSample.data(frameCount: 4, size: size)).map {
            test.pipeline.task(for: $0, options: options)
        }
        for task in tasks { #expect(try await task.image.animation?.preloadedFrames?.count == 4) }
        // And later ones are decoded.
        let later = Sample.url()
        test.transport.serve(later, Sample.png(24, 16))
        #expect(try await test.pipeline.image(from: later).size == size)
        #expect(test.pipeline.stages.workers.budget.frames.available == size.bitmapByteCount(depth: .eight))
    }

    @Test("holds for what a processor makes, not only for what it gets")
    func enlarging() async throws {
        let working = Level()
        let gate = DispatchGate()
        let test = TestPipeline(decodeBudget: 3 * 200 * 200 * 4 / 2)
        let processor = ObservedProcessor(
            largest: PixelSize(200, 200),
            began: {
                working.rise()
                gate.wait()
            },
            ended: { working.fall() }
        )
        let options: [ImageOption] = [.processor(ImageProcessorChain(processor)), .cacheMemoryOnly]
        let tasks = urls(2, test, Sample.png(10, 10)).map { test.pipeline.task(for: $0, options: options) }
        await eventually { [stages = test.pipeline.stages] in
            working.now == 2 || (working.now == 1 && stages.workers.budgetWaiterCount == 1)
        }
        gate.open()
        for task in tasks { _ = try await task.image }
        #expect(working.most == 1)
    }

    @Test("holds for enlarged images that wait for the next processor")
    func enlargedWaiting() async throws {
        let enlarged = Level()
        let gate = DispatchGate()
        let test = TestPipeline(workerCount: 2, decodeBudget: 3 * 200 * 200 * 4 / 2)
        let second = ObservedProcessor(
            largest: PixelSize(200, 200),
            began: { gate.wait() },
            ended: { enlarged.fall() }
        )
        let first = EnlargingProcessor(ended: { enlarged.rise() })
        let chain = ImageProcessorChain(first) |> ImageProcessorChain(second)
        let options: [ImageOption] = [.processor(chain), .cacheMemoryOnly]
        let tasks = urls(6, test, Sample.png(10, 10)).map { test.pipeline.task(for: $0, options: options) }
        await eventually { [stages = test.pipeline.stages] in
            stages.workers.budgetWaiterCount >= 4 || enlarged.now > 2
        }
        gate.open()
        for task in tasks { _ = try await task.image }
        #expect(enlarged.most <= 2)
    }

    @Test("holds for drawings at the size at which they are drawn")
    func drawings() async throws {
        let drawing = Level()
        let gate = DispatchGate()
        let codecs = ImageCodecs.observed(.standard + [.svg]) { call, _ in
            guard call == .decode else { return }
            drawing.rise()
            gate.wait()
        }
        let test = TestPipeline(codecs: codecs, decodeBudget: 3 * 200 * 200 * 4 / 2)
        let document = "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"10\" height=\"10\"><rect width=\"9\"/></svg>"
        let options: [ImageOption] = [.processor(.resize(to: .pixels(200, 200))), .cacheMemoryOnly]
        let tasks = urls(2, test, Data(document.utf8)).map { test.pipeline.task(for: $0, options: options) }
        await eventually { [stages = test.pipeline.stages] in
            drawing.now == 2 || (drawing.now == 1 && stages.workers.budgetWaiterCount == 1)
        }
        #expect(drawing.now == 1)
        gate.open()
        for task in tasks { #expect(try await task.image.size == PixelSize(200, 200)) }
    }

    @Test("is not asked for more pixels of an image than it has, unless it is to be enlarged")
    func targets() {
        let size = PixelSize(24, 24)
        #expect(ImageProcessorChain.downsample(to: .pixels(400, 400)).decodeTarget.targetSize(for: size) == size)
        #expect(
            ImageProcessorChain.downsample(to: .pixels(12, 12)).decodeTarget.targetSize(for: size)
                == PixelSize(12, 12)
        )
        let enlarged = PixelSize(400, 400)
        #expect(ImageProcessorChain.resize(to: .pixels(enlarged)).decodeTarget.targetSize(for: size) == enlarged)
    }
}
