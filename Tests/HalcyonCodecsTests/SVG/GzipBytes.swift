import FoundationEssentials

/// Files of RFC 1952 whose blocks are stored, not compressed.
enum GzipBytes {
    static func stored(_ data: Data) -> Data {
        var file = Data([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255])
        for start in stride(from: 0, to: data.count, by: 65_535) {
            let block = data.dropFirst(start).prefix(65_535)
            file.append(start + 65_535 >= data.count ? 1 : 0)
            file.append(contentsOf: number(block.count, byteCount: 2) + number(~block.count, byteCount: 2))
            file.append(block)
        }
        return file + number(checksum(data), byteCount: 4) + number(data.count, byteCount: 4)
    }

    private static func number(_ value: Int, byteCount: Int) -> [UInt8] {
        (0..<byteCount).map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) }
    }

    /// CRC-32, bit by bit.
    private static func checksum(_ data: Data) -> Int {
        var value: UInt32 = .max
        for byte in data {
            value ^= UInt32(byte)
            for _ in 0..<8 {
                value = value >> 1 ^ (value & 1 == 1 ? 0xedb8_8320 : 0)
            }
        }
        return Int(~value)
    }
}
