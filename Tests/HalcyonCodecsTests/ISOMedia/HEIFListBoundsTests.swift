import FoundationEssentials
import HalcyonRaster
import Testing

@testable import HalcyonCodecs

@Suite("The lists in the boxes of HEIF files")
struct HEIFListBoundsTests {
    private func number(_ value: Int, _ byteCount: Int = 2) -> [UInt8] { HEIFFixture.number(value, byteCount) }

    private func reader(_ boxes: [UInt8]) -> ByteReader { ByteReader(Data(HEIFFixture.fullBox("meta", boxes))) }

    private func holds(_ reader: ByteReader, isHEIC: Bool = false) -> Bool {
        let searchCount = isHEIC ? HEIFListBounds.heifSearchCount : HEIFListBounds.avifSearchCount
        return HEIFListBounds.hold(in: reader, searchCount: searchCount)
    }

    private func holds(_ boxes: [UInt8], isHEIC: Bool = false) -> Bool { holds(reader(boxes), isHEIC: isHEIC) }

    /// The content of `meta`: an item that is auxiliary to another, named so many times.
    private func alphaReferences(_ count: Int) -> [UInt8] {
        let list = HEIFFixture.box("auxl", number(2) + number(count) + (0..<count).flatMap { _ in number(1) })
        return HEIFFixture.fullBox("iref", list)
    }

    @Test("a grid of 64 by 64 tiles is within the bounds")
    func grid() {
        let tiles = (1...4_096).map {
            HEIFFixture.Item(identifier: $0, type: "av01", content: [0], properties: [HEIFFixture.size(64, 64)])
        }
        let grid = HEIFFixture.Item(
            identifier: 5_000,
            type: "grid",
            content: HEIFFixture.grid(64, 64, 4_096, 4_096),
            properties: [HEIFFixture.size(4_096, 4_096)]
        )
        let references = [("dimg", 5_000, Array(1...4_096))]
        let file = HEIFFixture(brand: "avif", items: tiles + [grid], references: references, primary: 5_000)
        #expect(holds(ByteReader(file.data)))
    }

    @Test("more items than can be searched for each other are beyond them")
    func items() {
        func entries(_ count: Int) -> [UInt8] {
            let entries: [UInt8] = (0..<count).flatMap {
                HEIFFixture.fullBox("infe", number($0) + [0, 0] + Array("av01".utf8) + [0], version: 2)
            }
            return HEIFFixture.fullBox("iinf", number(count) + entries)
        }
        #expect(holds(entries(9_000)))
        #expect(!holds(entries(9_200)))
        // The tracks' items as well.
        let track = HEIFFixture.box("trak", HEIFFixture.fullBox("meta", entries(9_200)))
        #expect(!holds(ByteReader(Data(HEIFFixture.box("moov", track)))))
    }

    @Test("parts of items that take no bytes in the list are counted")
    func extents() {
        func locations(_ itemCount: Int) -> [UInt8] {
            let items: [UInt8] = (0..<itemCount).flatMap { number($0) + number(0) + number(0xffff) }
            return HEIFFixture.fullBox("iloc", number(0) + number(itemCount) + items)
        }
        #expect(holds(locations(1)))
        #expect(!holds(locations(2)))
    }

    @Test("more properties than numbers for them, and more mentions of them than any file has, are beyond them")
    func properties() {
        func list(_ count: Int) -> [UInt8] {
            HEIFFixture.box("iprp", HEIFFixture.box("ipco", (0..<count).flatMap { _ in HEIFFixture.box("free", []) }))
        }
        #expect(holds(list(1 << 15)))
        #expect(!holds(list(1 << 15 + 1)))
        // For each of thousands of items, a library looks through all properties.
        let entries: [UInt8] = (0..<1_500).flatMap { number($0) + number(0).prefix(1) }
        let items = HEIFFixture.box("iprp", HEIFFixture.fullBox("ipma", number(1_500, 4) + entries))
        #expect(holds(items, isHEIC: true) && !holds(items + list(4_000), isHEIC: true))
        func associations(_ count: Int) -> [UInt8] {
            let entries: [UInt8] = (0..<count).flatMap { number($0) + [255] + [UInt8](repeating: 1, count: 255) }
            return HEIFFixture.box("iprp", HEIFFixture.fullBox("ipma", number(count, 4) + entries))
        }
        #expect(holds(associations(250)))
        #expect(!holds(associations(260)))
    }

    @Test("more boxes than any file has are beyond them, at any depth")
    func boxes() {
        let many = (0..<8_200).flatMap { _ in HEIFFixture.box("free", []) }
        #expect(!holds(ByteReader(Data(many))))
        #expect(!holds(many))
        for path in [["moov"], ["moov", "trak"], ["moov", "trak", "mdia", "minf", "stbl"]] {
            let file = path.reversed().reduce(many) { HEIFFixture.box($1, $0) }
            #expect(!holds(ByteReader(Data(file))))
        }
    }

    @Test(
        "an image that is auxiliary to another is one, however often the file says so",
        arguments: [1, 1_000, 60_000]
    )
    func repeatedReferences(count: Int) {
        let reader = reader(alphaReferences(count))
        let references = HEIFItemReferences(reader, meta: 8..<reader.count)
        #expect(references.auxiliaries(of: 1) == [2])
        #expect(references.items(neededBy: 1) == [2])
        #expect(holds(reader))
    }

    @Test("images derived from each other, or over many levels, are told apart from those of a few levels")
    func depth() {
        func hasBoundedDepth(_ pairs: [(Int, Int)]) -> Bool {
            let lists = pairs.flatMap { HEIFFixture.box("dimg", number($0.0) + number(1) + number($0.1)) }
            let reader = reader(HEIFFixture.fullBox("iref", lists))
            return HEIFItemReferences(reader, meta: 8..<reader.count).haveBoundedDepth
        }
        #expect(hasBoundedDepth([]))
        #expect(hasBoundedDepth((1..<8).map { ($0, $0 + 1) }))
        #expect(!hasBoundedDepth((1..<9).map { ($0, $0 + 1) }))
        #expect(!hasBoundedDepth((1..<9).reversed().map { ($0, $0 + 1) }))
        #expect(!hasBoundedDepth([(1, 2), (2, 1)]))
        #expect(!hasBoundedDepth([(1, 1)]))
        // Known from a shorter path.
        #expect(!hasBoundedDepth([(1, 5)] + (5..<10).map { ($0, $0 + 1) } + [(20, 21), (21, 22), (22, 23), (23, 1)]))
    }

    @Test("the properties of an item are the same, whatever else the file has")
    func associations() throws {
        func list(_ items: Range<Int>) -> [UInt8] {
            HEIFFixture.fullBox("ipma", number(items.count, 4) + items.flatMap { number($0) + [1, 1] })
        }
        let property = HEIFFixture.box("ipco", HEIFFixture.size(3, 4))
        let reader = reader(HEIFFixture.box("iprp", property + list(0..<5_000) + list(7..<8)))
        let properties = try #require(HEIFItemProperties(reader, meta: 8..<reader.count))
        #expect(properties.associations(of: 6).map(\.index) == [1])
        #expect(properties.associations(of: 7).map(\.index) == [1, 1])
        #expect(properties.associations(of: 5_001).isEmpty)
        #expect(properties.items == Array(0..<5_000))
    }
}
