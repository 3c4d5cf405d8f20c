import FoundationEssentials
import HalcyonRaster
import HalcyonTesting
import Testing

@testable import HalcyonCodecs

@Suite("AVIF with a gain map")
struct AVIFGainMapTests {
    /// A base image, item 1, a smaller gain map, item 2, and the tone-mapped image of both, item 3 (ISO 21496-1).
    private func file(base: Data, gainMap: Data) throws -> Data {
        let item = { (identifier: Int, file: Data, size: PixelSize) in
            HEIFFixture.Item(
                identifier: identifier,
                type: "av01",
                content: try HEIFFixture.box("mdat", of: file).payload,
                properties: [
                    try HEIFFixture.box("av1C", of: file).box, HEIFFixture.size(size.width, size.height),
                    HEIFFixture.fullBox("pixi", [3, 8, 8, 8]),
                ],
                isHidden: identifier > 1
            )
        }
        // Headroom of the base and of the other rendition, then the least and the greatest gain, gamma and two offsets.
        let fractions = [(0, 1), (2, 1), (0, 1), (2, 1), (1, 1), (1, 64), (1, 64)]
        let metadata = fractions.flatMap { HEIFFixture.number($0.0, 4) + HEIFFixture.number($0.1, 4) }
        let toneMapped = HEIFFixture.Item(
            identifier: 3,
            type: "tmap",
            content: [0, 0, 0, 0, 0, 0x40] + metadata,
            properties: [HEIFFixture.size(64, 48), HEIFFixture.fullBox("pixi", [3, 8, 8, 8])]
        )
        let fixture = HEIFFixture(
            brand: "avif",
            items: [
                try item(1, base, PixelSize(64, 48)), try item(2, gainMap, PixelSize(32, 24)), toneMapped,
            ],
            references: [("dimg", 3, [1, 2])],
            primary: 1
        )
        var data = fixture.data
        let brand = try #require(data.firstRange(of: Data("mif1".utf8)))
        data.replaceSubrange(brand, with: Data("tmap".utf8))
        return data
    }

    @Test("shows the base image, and says of it what is true without the gain map")
    func base() throws {
        let encoder = QuickAVIFEncoder(chromaSampling: .yuv444)
        let base = try encoder.encode(.sample(PixelSize(64, 48)), options: EncodeOptions(quality: 100))
        let gainMap = try encoder.encode(.sample(PixelSize(32, 24)), options: EncodeOptions(quality: 50))
        let data = try file(base: base, gainMap: gainMap)
        let info = try AVIFDecoder().info(of: data, limits: .standard)
        #expect(info.size == PixelSize(64, 48))
        #expect(info.frameCount == 1 && info.bitDepth == 8 && !info.hasAlpha)
        let (image, expected) = try (ImageCodecs.all.decode(data), ImageCodecs.all.decode(base))
        #expect(image.info == info)
        #expect(firstDifference(image.bitmap.premultipliedBytes(), expected.bitmap.premultipliedBytes()) == nil)
    }
}
