import FoundationEssentials
import HalcyonRaster
import Testing

@testable import HalcyonCodecs

@Suite("AVIF files that say something wrong of themselves")
struct AVIFAmendmentTests {
    private let size = PixelSize(48, 40)

    private func encoded() throws -> Data {
        try QuickAVIFEncoder(chromaSampling: .yuv444).encode(.sample(size), options: EncodeOptions(quality: 100))
    }

    /// One image, item 1.
    private func file(
        configuration: (inout [UInt8]) -> Void = { _ in },
        depth: UInt8? = nil,
        further: [[UInt8]] = []
    ) throws -> HEIFFixture {
        let data = try encoded()
        var box = try HEIFFixture.box("av1C", of: data).box
        configuration(&box)
        let item = HEIFFixture.Item(
            identifier: 1,
            type: "av01",
            content: try HEIFFixture.box("mdat", of: data).payload,
            properties: [box, HEIFFixture.size(size.width, size.height)]
                + (depth.map { [HEIFFixture.fullBox("pixi", [3, $0, $0, $0])] } ?? []) + further
        )
        return HEIFFixture(brand: "avif", items: [item], references: [], primary: 1)
    }

    private func decode(_ data: Data) throws -> DecodedImage {
        try AVIFDecoder().decode(data, options: DecodeOptions(), isCancelled: { false })
    }

    @Test(
        "a configuration that lies about depth or sampling is corrected",
        arguments: [0x00, 0x0c, 0x08, 0x1c, 0x40, 0x4c, 0x60, 0x6c] as [UInt8],
        [nil, 8, 10, 12] as [UInt8?]
    )
    func configuration(layout: UInt8, depth: UInt8?) throws {
        let stated: UInt8 = layout & 0x40 == 0 ? 8 : layout & 0x20 == 0 ? 10 : 12
        // A `pixi` that neither agrees with the image nor with its configuration is damage.
        guard depth == nil || depth == 8 || depth == stated else {
            return
        }
        let image = try decode(file(configuration: { $0[10] = layout }, depth: depth).data)
        #expect(image.info.bitDepth == 8)
        #expect(try image.bitmap.greatestDifference(from: decode(encoded()).bitmap) == 0)
    }

    @Test("depths of two images that say the same, and are coded with others, are told apart")
    func depths() throws {
        let bitmap = try Bitmap.sample(size).converted(to: .sixteen)
        let wide = try AVIFEncoder().encode(bitmap, options: EncodeOptions(quality: 90))
        let stated = HEIFFixture.fullBox("pixi", [3, 12, 12, 12])
        let items = try [encoded(), wide].enumerated().map { index, data in
            var box = try HEIFFixture.box("av1C", of: data).box
            // 12 bits, and the sampling as it is.
            box[10] |= 0x60
            return HEIFFixture.Item(
                identifier: index + 1,
                type: "av01",
                content: try HEIFFixture.box("mdat", of: data).payload,
                properties: [box, HEIFFixture.size(size.width, size.height), stated],
                isHidden: index == 1
            )
        }
        let file = HEIFFixture(brand: "avif", items: items, references: [], primary: 1)
        let image = try decode(file.data)
        #expect(image.info.bitDepth == 8)
        // A process has another order of hashed collections each time, and so has each of them.
        let amended = (0..<20).map { _ in AVIFContainer(file.data, frameCount: 1).data }
        #expect(amended.allSatisfy { $0 == amended[0] })
    }

    @Test("what files say of their layers may have the wrong mark, and sizes that do not fit")
    func layers() throws {
        let point = HEIFFixture.box("a1op", [0])
        let sizes = HEIFFixture.box("a1lx", [1, 0x7f, 0xff, 0xff, 0xff] + [UInt8](repeating: 0, count: 8))
        let expected = try decode(encoded()).bitmap
        for properties in [[point], [sizes], [point, sizes], [sizes, HEIFFixture.box("lsel", [0xff, 0xff])]] {
            let data = try file(depth: 8, further: properties).data
            #expect(try decode(data).bitmap.greatestDifference(from: expected) == 0)
            // The other mark for each of them.
            var bytes = AVIFBytes(data)
            let list = try bytes.start(ofBox: "meta", "iprp", "ipma") + 16
            for offset in list + 3..<list + 3 + Int(bytes.bytes[list + 2]) where bytes.bytes[offset] & 0x7f > 3 {
                bytes.set([bytes.bytes[offset] ^ 0x80], at: offset)
            }
            #expect(try decode(bytes.data).bitmap.greatestDifference(from: expected) == 0)
        }
    }
}
