import FoundationEssentials
import HTTPTypes
import HalcyonTesting
import Testing

@testable import Halcyon

@Suite("A processed image of an unprocessed one in memory")
struct ProcessingFromMemoryTests {
    private let test = TestPipeline()
    private let url = Sample.url()
    private let crop = ImageOption.processor(.crop(to: .pixels(20, 10)))

    init() {
        test.transport.serve(url, Sample.png())
    }

    /// Returns the response of a pipeline whose caches are empty.
    private func cold(_ body: Data, _ options: [ImageOption]) async throws -> ImageResponse {
        let other = TestPipeline()
        other.transport.serve(url, body)
        return try await other.pipeline.response(for: url, options: options)
    }

    @Test(
        "is made without a look at the original, and has the same pixels",
        arguments: [nil, ImageOption.fromMemoryCacheOrRefresh, .onlyFromCache]
    )
    func response(reads: ImageOption?) async throws {
        _ = try await test.pipeline.response(for: url, options: [.cacheMemoryOnly])
        let options = [crop] + [reads].compactMap(\.self)
        let processed = try await test.pipeline.response(for: url, options: options)
        #expect(processed.source == .memory)
        #expect(test.transport.startedCount == 1 && test.counters.decodes == 1)
        let expected = try await cold(Sample.png(), [crop])
        #expect(processed.image.bitmap.hasSamePixels(as: expected.image.bitmap))
        #expect(processed.image.info == expected.image.info && processed.byteCount == expected.byteCount)
        // It is stored as any result is.
        await test.settle()
        test.pipeline.cache.removeAllFromMemory()
        let stored = try await test.pipeline.response(for: url, options: [crop, .onlyFromCache])
        #expect(stored.source == .disk && stored.image.bitmap.hasSamePixels(as: expected.image.bitmap))
    }

    @Test("is encoded to the same bytes")
    func encoded() async throws {
        _ = try await test.pipeline.response(for: url, options: [.cacheMemoryOnly])
        let image = try await test.pipeline.encoded(for: url, as: .format(.png), options: [crop])
        #expect(image.source == .memory && test.transport.startedCount == 1 && test.counters.decodes == 1)
        let other = TestPipeline()
        other.transport.serve(url, Sample.png())
        let expected = try await other.pipeline.encoded(for: url, as: .format(.png), options: [crop])
        #expect(firstDifference(image.data, expected.data) == nil)
    }

    @Test("keeps all frames of an animation where it is encoded to one")
    func encodedAnimation() async throws {
        let test = TestPipeline(codecs: .standard)
        test.transport.serve(url, AnimationSample.data([50, 100, 150], size: PixelSize(24, 16), loopCount: 0))
        #expect(try await test.pipeline.image(from: url).animation != nil)
        let image = try await test.pipeline.encoded(for: url, as: .format(.gif), options: [crop])
        #expect(try ImageCodecs.standard.info(of: image.data).frameCount == 3)
    }

    @Test(
        "is made of the original where the decoder may reduce that",
        arguments: [ImageFormat.jpeg, .png],
        [ImageOption.processor(.downsample(to: .pixels(50, 50))), .targetSize(.pixels(width: 50))]
    )
    func reduced(format: ImageFormat, size: ImageOption) async throws {
        let body = Sample.encoded(Sample.noise(400, 300), format)
        test.transport.serve(url, body)
        _ = try await test.pipeline.response(for: url, options: [.waitForCache])
        let processed = try await test.pipeline.response(for: url, options: [size])
        #expect(processed.source == .disk && test.counters.decodes == 2)
        #expect(try await processed.image.bitmap.hasSamePixels(as: cold(body, [size]).image.bitmap))
    }

    @Test(
        "is made of the original where the options need its bytes, or allow no other image",
        arguments: [
            .readsOriginal(false), .cacheOriginalImage, .includesOriginalData, .revalidate, .fromDiskCacheOrRefresh,
            .forceRefresh, .keepSixteenBits, .cacheScope("other"),
            .serializer(TestSerializer("own") { image, _, _ in Sample.encoded(image.bitmap, .png) }),
        ] as [ImageOption]
    )
    func options(option: ImageOption) async throws {
        _ = try await test.pipeline.response(for: url, options: [.cacheMemoryOnly])
        let processed = try await test.pipeline.response(for: url, options: [crop, option])
        #expect(processed.source == .network && test.transport.startedCount == 2)
    }

    @Test("is made of the original if the one in memory is partial")
    func partial() async throws {
        test.transport.serve(url, Sample.pngCutShort())
        #expect(try await test.pipeline.image(from: url, options: [.cacheMemoryOnly]).isPartial)
        test.transport.serve(url, Sample.png())
        let processed = try await test.pipeline.response(for: url, options: [crop])
        #expect(processed.source == .network && !processed.image.isPartial)
    }

    @Test("is not there once its server has to be asked about the unprocessed one")
    func stale() async throws {
        let fixture = ServerCachingFixture()
        fixture.serve(Sample.png(), [.cacheControl: "max-age=60"])
        _ = try await fixture.load([.cacheMemoryOnly])
        fixture.clock.advance(by: 50)
        #expect(try await fixture.load([crop, .cacheMemoryOnly]).source == .memory)
        // The result is no younger than what it was made of.
        fixture.clock.advance(by: 20)
        #expect(try await fixture.load([crop]).source == .network)
    }

    @Test("is not stored if that was removed while processors ran", arguments: [false, true])
    func removed(isFromMemory: Bool) async throws {
        _ = try await test.pipeline.response(for: url, options: [.cacheMemoryOnly])
        let (hasStarted, gate) = (Gate(), DispatchGate())
        let chain = ImageProcessorChain.closure(name: "waiting") { image, _ in
            hasStarted.open()
            gate.wait()
            return image
        }
        let request = ImageRequest(url, options: [.processor(chain)])
        let task = test.pipeline.task(for: request)
        await hasStarted.wait()
        if isFromMemory {
            test.pipeline.cache.removeAllFromMemory()
        } else {
            try await test.pipeline.cache.removeAll()
        }
        gate.open()
        #expect(try await task.response.source == .memory)
        await test.settle()
        #expect(await test.pipeline.cache.tiers(with: request) == [])
    }
}
