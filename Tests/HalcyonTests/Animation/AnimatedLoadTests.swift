import FoundationEssentials
import HalcyonTesting
import Testing

@testable import Halcyon

@Suite("A load of an animated file")
struct AnimatedLoadTests {
    private let test = TestPipeline()
    private let url = Sample.url()
    private let data = AnimationSample.data(frameCount: 4)
    private let crop = ImageOption.processor(.crop(to: .pixels(8, 6)))

    init() {
        test.transport.serve(url, data)
    }

    /// The numbers of the frames that an animation decodes.
    private func frames(_ animation: ImageAnimation) throws -> [Int] {
        try animation.decoder().frames().map(AnimationSample.number)
    }

    @Test("gives the first frame with the animation, from network, memory and disk")
    func sources() async throws {
        for source in [ImageResponse.Source.network, .memory, .disk] {
            if source == .disk { test.pipeline.cache.removeAllFromMemory() }
            let response = try await test.pipeline.response(for: url)
            #expect(response.source == source && AnimationSample.number(of: response.image) == 0)
            let animation = try #require(response.image.animation)
            #expect(animation.data == data && animation.frameCount == 4 && animation.info == response.image.info)
            #expect(try frames(animation) == [0, 1, 2, 3])
            await test.settle()
        }
    }

    @Test("gives the same animation again from memory")
    func identity() async throws {
        let first = try await test.pipeline.image(from: url).animation
        #expect(first != nil)
        #expect(try await test.pipeline.image(from: url).animation == first)
        #expect(test.pipeline.responseFromMemory(for: url)?.image.animation == first)
    }

    @Test("is a still image where the first frame alone is asked for, processed or not")
    func firstFrame() async throws {
        for options: [ImageOption] in [[], [crop], [crop, .processAllFrames]] {
            let own = options + [.animation(.firstFrame)]
            for _ in 0..<2 {
                let image = try await test.pipeline.image(from: url, options: own)
                #expect(image.animation == nil && AnimationSample.number(of: image) == 0)
                await test.settle()
                test.pipeline.cache.removeAllFromMemory()
            }
            // That does not take the place of the animation.
            #expect(try await test.pipeline.image(from: url).animation != nil)
        }
    }

    @Test("is the first frame of the animation where that alone is asked for, also for loads that share the decoding")
    func firstFrameOfAnimation() {
        var policy = DecodePolicy()
        #expect(!policy.decodeOptions.readsAnimation)
        policy.animation = .firstFrame
        #expect(policy.decodeOptions.readsAnimation && policy.ofOneFrame.decodeOptions.readsAnimation)
    }

    @Test("is a still image of another frame, and of a file of one frame")
    func stillImages() async throws {
        let second = try await test.pipeline.image(from: url, options: [.frame(1)])
        #expect(second.animation == nil && AnimationSample.number(of: second) == 1)
        let other = Sample.url()
        test.transport.serve(other, Sample.png())
        #expect(try await test.pipeline.image(from: other).animation == nil)
    }

    @Test("is a still image that processors have run on, unless they are to run on all frames")
    func processed() async throws {
        let still = try await test.pipeline.image(from: url, options: [crop])
        #expect(still.animation == nil && still.size == PixelSize(8, 6))
        let image = try await test.pipeline.image(from: url, options: [crop, .processAllFrames])
        #expect(image.size == PixelSize(8, 6))
        let decoded = try #require(image.animation).decoder().frames()
        #expect(decoded.map(\.size) == Array(repeating: PixelSize(8, 6), count: 4))
        #expect(decoded.map(AnimationSample.number) == [0, 1, 2, 3])
    }

    @Test("is a still image of a target size also where the whole image in memory answers")
    func inexactSize() async throws {
        #expect(try await test.pipeline.image(from: url).animation != nil)
        let options: [ImageOption] = [.targetSize(.pixels(width: 12)), .precision(.inexact)]
        let response = try await test.pipeline.response(for: url, options: options)
        #expect(response.source == .memory && response.image.size == PixelSize(24, 16))
        #expect(response.image.animation == nil)
        // The image that answered keeps its animation.
        #expect(try await test.pipeline.image(from: url).animation != nil)
    }

    @Test(
        "is animated at a target size, if all frames are to be, where the whole image in memory answers, not a still one"
    )
    func inexactSizeOfAllFrames() async throws {
        let options: [ImageOption] = [.targetSize(.pixels(width: 12)), .precision(.inexact), .processAllFrames]
        #expect(try await test.pipeline.image(from: url, options: [.targetSize(.pixels(width: 18))]).animation == nil)
        #expect(test.pipeline.responseFromMemory(for: url, options: options) == nil)
        #expect(try await test.pipeline.image(from: url).animation != nil)
        let image = try #require(test.pipeline.responseFromMemory(for: url, options: options)?.image)
        #expect(image.size == PixelSize(24, 16) && image.animation != nil)
        let turned = options + [.processor(.rotate(quarterTurns: 2))]
        #expect(test.pipeline.responseFromMemory(for: url, options: turned) == nil)
    }

    @Test("is on disk as its original where processors run on all frames, and processed again from there")
    func processedOnDisk() async throws {
        let options: [ImageOption] = [crop, .processAllFrames, .readsOriginal(false)]
        _ = try await test.pipeline.image(from: url, options: options)
        await test.settle()
        test.pipeline.cache.removeAllFromMemory()
        #expect(await test.pipeline.cache.storedData(for: ImageRequest(url)) == data)
        #expect(await test.pipeline.cache.storedData(for: ImageRequest(url, options: options)) == nil)
        let response = try await test.pipeline.response(for: url, options: options)
        #expect(response.source == .disk && response.image.animation != nil && response.image.size == PixelSize(8, 6))
        #expect(test.transport.startedCount == 1)
    }

    @Test("decodes all frames at once where that is asked for, and counts them in memory")
    func preloaded() async throws {
        let plain = try await test.pipeline.image(from: url)
        #expect(plain.animation?.preloadedFrames == nil)
        let plainCost = test.pipeline.cache.memoryStatistics.cost
        test.pipeline.cache.removeAllFromMemory()
        let image = try await test.pipeline.image(from: url, options: [.animation(.preloaded)])
        let frames = try #require(image.animation?.preloadedFrames)
        #expect(frames.map(AnimationSample.number) == [0, 1, 2, 3])
        let cost = test.pipeline.cache.memoryStatistics.cost
        #expect(cost - plainCost >= 4 * image.bitmap.byteCount && cost - plainCost < 5 * image.bitmap.byteCount)
    }

    @Test("decodes frames when they are due where all would take more than the limit")
    func tooMany() async throws {
        let large = Sample.url()
        test.transport.serve(large, AnimationSample.data(frameCount: 20, size: PixelSize(200, 100)))
        for (limit, isPreloaded) in [(20 * 200 * 100 * 4 - 1, false), (20 * 208 * 100 * 4, true)] {
            let options: [ImageOption] = [
                .animation(.preloaded), .decodeLimits(DecodeLimits(memory: limit)), .forceRefresh,
            ]
            let animation = try #require(try await test.pipeline.image(from: large, options: options).animation)
            #expect((animation.preloadedFrames != nil) == isPreloaded)
        }
    }

    @Test("bounds its frames as the first one")
    func bounded() async throws {
        let image = try await test.pipeline.image(from: url, options: [.largestSideLength(12)])
        #expect(image.size == PixelSize(12, 8))
        #expect(try #require(image.animation).decoder().frame(at: 3).size == PixelSize(12, 8))
    }
}
