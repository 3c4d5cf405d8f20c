import FoundationEssentials
import Testing

@testable import Halcyon
@testable import HalcyonStore

@Suite("An animated image in a cache")
struct AnimatedCachingTests {
    private let test = TestPipeline()
    private let request = ImageRequest(Sample.url())
    private let data = AnimationSample.data(frameCount: 3)

    @Test("costs its first frame and its encoded bytes")
    func cost() async throws {
        let image = try AnimationSample.image(data)
        _ = try await test.pipeline.cache.store(image, for: request)
        let cost = test.pipeline.cache.memoryStatistics.cost
        _ = try await test.pipeline.cache.store(image.replacingAnimation(nil), for: request)
        #expect(cost - test.pipeline.cache.memoryStatistics.cost == data.count)
    }

    @Test("costs frames with the same pixels once")
    func equalFrames() throws {
        let bitmap = Sample.bitmap()
        let frames = [AnimationFrame](repeating: AnimationFrame(bitmap: bitmap, duration: 50), count: 4)
        let data = try PNGEncoder().encode(frames, loopCount: 0, options: EncodeOptions())
        let image = try ImageCodecs.standard.animatedImage(from: data, preloadsFrames: true)
        let animation = try #require(image.animation)
        #expect(animation.preloadedFrames?.count == 4)
        #expect(animation.byteCount(beside: image.bitmap) == data.count + image.bitmap.byteCount)
    }

    @Test("is stored as the bytes that it was decoded from, also if it is processed")
    func storing() async throws {
        let cache = test.pipeline.cache
        let image = try AnimationSample.image(data)
        #expect(try await cache.store(image, for: request))
        #expect(await cache.storedData(for: request) == data)
        let other = ImageRequest(Sample.url(), options: [.processor(.crop(to: .pixels(2, 2)))])
        #expect(try await cache.store(image, for: other))
        #expect(await cache.storedData(for: other) == nil)
        #expect(await cache.storedData(for: ImageRequest(other.source)) == data)
    }

    @Test("comes from disk with its animation")
    func retrieving() async throws {
        let cache = test.pipeline.cache
        #expect(try await cache.store(data, for: request))
        let entry = try #require(try await cache.entry(for: request))
        #expect(entry.tier == .disk && entry.image.animation?.data == data)
        #expect(cache.entryInMemory(for: request)?.image.animation == entry.image.animation)
    }

    @Test("stays on disk where a frame that is to be decoded beforehand is damaged")
    func damagedFrame() async throws {
        let cache = test.pipeline.cache
        let codecs = ImageCodecs.standard.registering(decoder: GatedFrameDecoder(damagedFrame: 2))
        #expect(try await cache.store(data, for: request))
        let preloading = ImageRequest(request.source, options: [.animation(.preloaded)])
        let entry = try await cache.entry(for: preloading, codecs: codecs)
        let animation = try #require(entry?.image.animation)
        #expect(animation.preloadedFrames == nil)
        #expect(try AnimationSample.number(of: animation.decoder().frame(at: 1)) == 1)
        #expect(await cache.storedData(for: request) == data)
    }

    @Test("is found after its eviction for as long as its animation is in use, and not without it")
    func weakTier() throws {
        var image: DecodedImage? = try AnimationSample.image(data)
        let reference = try #require(image.flatMap { CachedImage(.image($0), byteCount: 0).weakReference })
        #expect(reference.resolve()?.image?.animation == image?.animation)
        // The pixels of the first frame are still in use, the animation is not.
        let still = image?.replacingAnimation(nil)
        image = nil
        #expect(reference.resolve() == nil)
        withExtendedLifetime(still) {}
    }
}
