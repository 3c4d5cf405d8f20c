import FoundationEssentials

/// Icons and mouse pointers, byte by byte.
enum ICOBytes {
    /// An image, and what the directory says of it.
    struct Entry {
        var width: Int
        var height: Int
        var bits: Int
        var bytes: [UInt8]
        var byteCount: Int?
    }

    static func file(_ entries: [Entry], type: Int = 1) -> Data {
        var directory = BMPBytes.number(0, 2) + BMPBytes.number(type, 2) + BMPBytes.number(entries.count, 2)
        var offset = 6 + 16 * entries.count
        for entry in entries {
            directory += [UInt8(entry.width & 255), UInt8(entry.height & 255), 0, 0] + BMPBytes.number(1, 2)
            directory += BMPBytes.number(entry.bits, 2) + BMPBytes.number(entry.byteCount ?? entry.bytes.count)
            directory += BMPBytes.number(offset)
            offset += entry.bytes.count
        }
        return Data(directory + entries.flatMap(\.bytes))
    }

    /// A square bitmap of one colour, blue, green, red and with 32 bits alpha; each row of the mask has these 4 bytes.
    static func bitmap(_ side: Int, _ color: [UInt8], mask: [UInt8] = [0, 0, 0, 0]) -> Entry {
        let row = [UInt8]((0..<side).flatMap { _ in color })
        let padding = [UInt8](repeating: 0, count: (4 - row.count % 4) % 4)
        let header = BMPBytes.header(side, side * 2, bits: color.count * 8)
        let rows = (0..<side).flatMap { _ in row + padding }
        let masks = (0..<side).flatMap { _ in mask }
        return Entry(width: side, height: side, bits: color.count * 8, bytes: header + rows + masks)
    }
}
