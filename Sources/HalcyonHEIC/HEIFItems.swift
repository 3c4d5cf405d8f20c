internal import FoundationEssentials
internal import HalcyonCodecs

/// The list of a HEIF file's items (ISO/IEC 14496-12, 8.11.6).
enum HEIFItems {
    struct Item {
        let identifier: Int
        /// Four characters.
        let type: String
        /// The offset of the flags of an image that is not to be shown on its own; `nil` for one that is.
        let hiddenFlag: Int?
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
        let offset = payload.lowerBound + 4
        let identifierSize = version == 2 ? 2 : 4
        guard let identifier = version == 2 ? reader.uint16(at: offset) : reader.uint32(at: offset),
            let type = reader.bytes(at: offset + identifierSize + 2, count: 4)
        else {
            return nil
        }
        let flag = payload.lowerBound + 3
        let isHidden = (reader.uint8(at: flag) ?? 0) & 1 != 0
        return Item(
            identifier: identifier,
            type: String(decoding: type, as: UTF8.self),
            hiddenFlag: isHidden ? flag : nil
        )
    }
}
