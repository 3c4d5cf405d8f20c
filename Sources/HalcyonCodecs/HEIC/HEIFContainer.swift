#if HEIC
internal import FoundationEssentials
internal import HalcyonRaster

/// What the boxes of a HEIF file say that libheif does not tell.
struct HEIFContainer {
    /// Whether the bytes end within a box, or before there is any picture.
    let isCutShort: Bool
    /// The size of the primary item as its properties state it, before it is turned.
    let itemSize: PixelSize?
    /// How the pictures are coded: ``ImageFormat/heic``, ``ImageFormat/avif``, or ``ImageFormat/heif`` where it is
    /// otherwise.
    let format: ImageFormat
    /// The type of the primary item, such as "hvc1", "grid" or "unci".
    let itemType: String?

    private let data: Data
    private let lastWholeBoxEnd: Int
    private let items: [HEIFItems.Item]

    init(_ data: Data) {
        let reader = ByteReader(data)
        var boxes = reader.boxes(in: 0..<reader.count)
        var isCutShort = false
        var lastWholeBoxEnd = 0
        var meta: Range<Int>?
        while let box = boxes.next() {
            isCutShort = isCutShort || box.isCutShort
            lastWholeBoxEnd = box.isCutShort ? lastWholeBoxEnd : box.payload.upperBound
            meta = box.type == "meta" ? meta ?? box.payload : meta
        }
        let properties = meta.flatMap { HEIFItemProperties(reader, meta: $0) }
        items = meta.map { HEIFItems.all(reader, meta: $0) } ?? []
        let types = Set(items.map(\.type))
        self.data = data
        self.lastWholeBoxEnd = lastWholeBoxEnd
        self.isCutShort = isCutShort || boxes.offset < reader.count || meta == nil
        itemSize = properties?.primarySize
        let primary = properties?.primaryItem
        itemType = items.first { $0.identifier == primary }?.type
        let isCodedByBrand = ImageFormat.detect(data.prefix(64)) == .heic
        format =
            isCodedByBrand || !types.isDisjoint(with: ["hvc1", "hev1"])
            ? .heic : types.contains("av01") ? .avif : .heif
    }

    /// The file as far as its boxes are whole, for reading what describes the pictures. libheif refuses boxes that
    /// are cut short, and reads metadata at once, which may lie behind the end; so those lose their type. The same
    /// bytes for a whole file.
    var headerOnly: Data {
        guard isCutShort else {
            return data
        }
        var header = data.prefix(lastWholeBoxEnd)
        for item in items where ["Exif", "mime"].contains(item.type) {
            let start = header.startIndex + item.typeOffset
            guard start + 4 <= header.endIndex else {
                continue
            }
            header.replaceSubrange(start..<start + 4, with: Array("skip".utf8))
        }
        return header
    }
}

/// The list of a HEIF file's items (ISO/IEC 14496-12, 8.11.6).
enum HEIFItems {
    struct Item {
        let identifier: Int
        /// Four characters.
        let type: String
        /// Where the type stands in the file.
        let typeOffset: Int
    }

    /// Linear in the bytes of the list.
    static func all(_ reader: ByteReader, meta: Range<Int>) -> [Item] {
        guard meta.count > 4,
            let list = reader.payload(ofBox: "iinf", in: meta.lowerBound + 4..<meta.upperBound),
            let version = reader.uint8(at: list.lowerBound)
        else {
            return []
        }
        let start = min(list.lowerBound + (version == 0 ? 6 : 8), list.upperBound)
        return reader.boxes(in: start..<list.upperBound).compactMap { box in
            box.type == "infe" ? item(reader, box.payload) : nil
        }
    }

    private static func item(_ reader: ByteReader, _ payload: Range<Int>) -> Item? {
        guard let version = reader.uint8(at: payload.lowerBound), version >= 2 else {
            return nil
        }
        let identifierSize = version == 2 ? 2 : 4
        let offset = payload.lowerBound + 4
        let typeOffset = offset + identifierSize + 2
        guard let identifier = version == 2 ? reader.uint16(at: offset) : reader.uint32(at: offset),
            let type = reader.bytes(at: typeOffset, count: 4)
        else {
            return nil
        }
        return Item(
            identifier: identifier,
            type: String(decoding: type, as: UTF8.self),
            typeOffset: typeOffset
        )
    }
}
#endif
