import FoundationEssentials
import HalcyonTesting
import Testing

@testable import Halcyon

@Suite("An image whose pixels are there")
struct PixelsSourceTests {
    private let test = TestPipeline()
    private let bitmap = Sample.bitmap(32, 24, seed: 3)
    private let crop: [ImageOption] = [.processor(.crop(to: .pixels(8, 8))), .waitForCache]

    private var source: Source { .image(bitmap, id: "drawing") }

    @Test("is kept in memory under its identifier, and nothing of it on disk")
    func memory() async throws {
        let response = try await test.pipeline.response(for: ImageRequest(source))
        #expect(response.image.bitmap.hasSamePixels(as: bitmap) && response.source == .data)
        let other = Source.image(Sample.bitmap(1, 1), id: "drawing")
        #expect(other == source && Source.image(bitmap, id: "another") != source)
        #expect(try await test.pipeline.response(for: ImageRequest(other)).source == .memory)
        await test.settle()
        #expect(try await test.pipeline.cache.diskStatistics().count == 0)
    }

    @Test("goes through processors, whose result is found in memory and on disk")
    func processed() async throws {
        let first = try await test.pipeline.response(for: ImageRequest(source, options: crop))
        #expect(first.image.size == PixelSize(8, 8) && first.source == .data)
        #expect(try await test.pipeline.response(for: ImageRequest(source, options: crop)).source == .memory)
        await test.settle()
        test.pipeline.cache.removeAllFromMemory()
        let found = try await test.pipeline.response(for: ImageRequest(source, options: crop))
        #expect(found.source == .disk && found.image.bitmap.hasSamePixels(as: first.image.bitmap))
        #expect(test.counters.decodes == 1)
    }

    @Test("is encoded for a caller that asks for bytes")
    func bytes() async throws {
        let data = try await test.pipeline.data(for: ImageRequest(source))
        let decoded = try ImageCodecs.standard.decode(data)
        #expect(decoded.info.format == .png && decoded.bitmap.hasSamePixels(as: bitmap))
        let encoded = try await test.pipeline.encoded(for: ImageRequest(source, options: crop), as: .format(.png))
        #expect(encoded.size == PixelSize(8, 8))
        let whole = try await test.pipeline.response(for: ImageRequest(source, options: [.includesOriginalData]))
        #expect(whole.data == nil)
    }

    @Test("has one frame")
    func frames() async throws {
        let request = ImageRequest(source, options: [.frame(1)])
        let error = await #expect(throws: ImageError.self) { try await self.test.pipeline.response(for: request) }
        #expect(error?.reason == .codec(.noSuchFrame(1, frameCount: 1)))
    }
}
