import FoundationEssentials
import Testing

@testable import HalcyonCodecs

/// A HEIF file put together of items, so that parts can be combined as no encoder does.
struct HEIFFixture {
    struct Item {
        var identifier: Int
        var type: String
        var content: [UInt8]
        /// Whole boxes.
        var properties: [[UInt8]]
        var isHidden = false
    }

    var brand = "heic"
    var items: [Item]
    /// A type, the item that refers, and those that it refers to.
    var references: [(type: String, from: Int, to: [Int])]
    var primary: Int

    var data: Data {
        // Where the contents begin depends on the size of what is before them only.
        let start = header(contentsAt: 0).count
        return Data(header(contentsAt: start) + items.flatMap(\.content))
    }

    private func header(contentsAt start: Int) -> [UInt8] {
        let brands = Array(brand.utf8) + [0, 0, 0, 0] + Array("mif1".utf8) + Array(brand.utf8)
        var meta = Self.fullBox("hdlr", [0, 0, 0, 0] + Array("pict".utf8) + [UInt8](repeating: 0, count: 13))
        meta += Self.fullBox("pitm", Self.number(primary, 2)) + locations(start)
        let entries = items.flatMap { item in
            Self.fullBox(
                "infe",
                Self.number(item.identifier, 2) + [0, 0] + Array(item.type.utf8) + [0],
                version: 2,
                flags: item.isHidden ? 1 : 0
            )
        }
        meta += Self.fullBox("iinf", Self.number(items.count, 2) + entries) + properties
        if !references.isEmpty {
            let boxes = references.flatMap { reference in
                Self.box(
                    reference.type,
                    Self.number(reference.from, 2) + Self.number(reference.to.count, 2)
                        + reference.to.flatMap { Self.number($0, 2) }
                )
            }
            meta += Self.fullBox("iref", boxes)
        }
        let size = items.map(\.content.count).reduce(8, +)
        return Self.box("ftyp", brands) + Self.fullBox("meta", meta) + Self.number(size, 4) + Array("mdat".utf8)
    }

    private func locations(_ start: Int) -> [UInt8] {
        var (entries, offset) = ([UInt8](), start)
        for item in items {
            entries += Self.number(item.identifier, 2) + [0, 0, 0, 1]
            entries += Self.number(offset, 4) + Self.number(item.content.count, 4)
            offset += item.content.count
        }
        return Self.fullBox("iloc", [0x44, 0] + Self.number(items.count, 2) + entries)
    }

    private var properties: [UInt8] {
        var boxes: [[UInt8]] = []
        var associations: [UInt8] = []
        for item in items {
            associations += Self.number(item.identifier, 2) + [UInt8(item.properties.count)]
            for property in item.properties {
                let index = boxes.firstIndex(of: property) ?? boxes.count
                if index == boxes.count { boxes.append(property) }
                // All but the size and the type of an auxiliary image must be understood.
                let type = String(decoding: property[4..<8], as: UTF8.self)
                associations.append(UInt8(index + 1) | (["ispe", "auxC", "pixi"].contains(type) ? 0 : 0x80))
            }
        }
        let list = Self.fullBox("ipma", Self.number(items.count, 4) + associations)
        return Self.box("iprp", Self.box("ipco", boxes.flatMap { $0 }) + list)
    }
}

extension HEIFFixture {
    static func box(_ type: String, _ payload: [UInt8]) -> [UInt8] {
        number(payload.count + 8, 4) + Array(type.utf8) + payload
    }

    static func fullBox(_ type: String, _ payload: [UInt8], version: UInt8 = 0, flags: UInt8 = 0) -> [UInt8] {
        box(type, [version, 0, 0, flags] + payload)
    }

    static func number(_ value: Int, _ byteCount: Int) -> [UInt8] {
        (0..<byteCount).reversed().map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }

    static func size(_ width: Int, _ height: Int) -> [UInt8] {
        fullBox("ispe", number(width, 4) + number(height, 4))
    }

    static let alphaType = fullBox("auxC", Array("urn:mpeg:hevc:2015:auxid:1".utf8) + [0])

    /// Returns the description of a grid.
    static func grid(_ columns: Int, _ rows: Int, _ width: Int, _ height: Int) -> [UInt8] {
        [0, 0, UInt8(rows - 1), UInt8(columns - 1)] + number(width, 2) + number(height, 2)
    }

    /// Returns the description of an overlay, with numbers of two bytes.
    static func overlay(
        _ width: Int,
        _ height: Int,
        background: [Int] = [0xffff, 0, 0, 0xffff],
        _ places: [(x: Int, y: Int)]
    ) -> [UInt8] {
        [0, 0] + background.flatMap { number($0, 2) } + number(width, 2) + number(height, 2)
            + places.flatMap { number($0.x, 2) + number($0.y, 2) }
    }

    /// The contents of the first box of a type, and the box itself, of a file that has it somewhere.
    static func box(_ type: String, of file: Data) throws -> (box: [UInt8], payload: [UInt8]) {
        struct Missing: Error {}
        let reader = ByteReader(file)
        guard let start = file.firstRange(of: Data(type.utf8)).map({ $0.lowerBound - file.startIndex - 4 }),
            let size = reader.uint32(at: start), let bytes = reader.bytes(at: start, count: size)
        else {
            throw Missing()
        }
        return (Array(bytes), Array(bytes.dropFirst(8)))
    }

    /// An item coded with HEVC, 64 × 64 pixels: the tile of `HEICBytes.plain`.
    static func tile(_ identifier: Int, isHidden: Bool = false, stated: [UInt8] = size(64, 64)) throws -> Item {
        let coded = try box("mdat", of: HEICBytes.plain).payload
        let configuration = try box("hvcC", of: HEICBytes.plain).box
        return Item(
            identifier: identifier,
            type: "hvc1",
            content: coded,
            properties: [configuration, stated],
            isHidden: isHidden
        )
    }

    /// An item coded with HEVC, 64 × 64 grey pixels: the alpha of `HEICBytes.rich`.
    static func grayTile(_ identifier: Int, isAlpha: Bool = false, stated: [UInt8] = size(64, 64)) throws -> Item {
        let file = HEICBytes.rich
        let reader = ByteReader(file)
        let meta = try #require(reader.payload(ofBox: "meta", in: 0..<file.count))
        let content = try #require(HEIFItemLocations.contents(reader, meta: meta, of: [3])[3])
        let properties = try #require(HEIFItemProperties(reader, meta: meta)).associations(of: 3)
        let configuration = try #require(properties.first { $0.box.type == "hvcC" }?.box)
        let bytes = try #require(reader.bytes(at: configuration.start, count: configuration.payload.count + 8))
        return Item(
            identifier: identifier,
            type: "hvc1",
            content: Array(content),
            properties: [Array(bytes), stated] + (isAlpha ? [alphaType] : []),
            isHidden: true
        )
    }
}
