import FoundationEssentials

@testable import HalcyonCodecs

/// Builds PNG files chunk by chunk, right or wrong, independently of the encoder.
enum PNGBytes {
    static let signature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]

    static func file(_ chunks: [[UInt8]]) -> Data {
        Data(signature + chunks.flatMap { $0 })
    }

    static func chunk(_ type: String, _ payload: [UInt8]) -> [UInt8] {
        let covered = Array(type.utf8) + payload
        return number(payload.count) + covered + number(Int(checksum(covered)))
    }

    static func header(_ width: Int, _ height: Int, depth: UInt8 = 8, colorType: UInt8, interlaced: Bool = false)
        -> [UInt8]
    {
        chunk("IHDR", number(width) + number(height) + [depth, colorType, 0, 0, interlaced ? 1 : 0])
    }

    /// A zlib stream that stores its bytes uncompressed (RFC 1950, RFC 1951 3.2.4).
    static func stored(_ bytes: [UInt8]) -> [UInt8] {
        var stream: [UInt8] = [0x78, 0x01]
        var rest = bytes[...]
        repeat {
            let block = rest.prefix(0xFFFF)
            rest = rest.dropFirst(block.count)
            let count = block.count
            stream += [rest.isEmpty ? 1 : 0, UInt8(count & 255), UInt8(count >> 8)]
            stream += [UInt8(~count & 255), UInt8(~count >> 8 & 255)] + block
        } while !rest.isEmpty
        var (low, high) = (1, 0)
        for byte in bytes {
            low = (low + Int(byte)) % 65_521
            high = (high + low) % 65_521
        }
        return stream + number(high << 16 | low)
    }

    static let end = chunk("IEND", [])

    static func number(_ value: Int) -> [UInt8] {
        [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) }
    }

    /// CRC-32 (ISO 3309), bit by bit.
    static func checksum(_ bytes: [UInt8]) -> UInt32 {
        ~bytes.reduce(UInt32.max) { crc, byte in
            (0..<8).reduce(crc ^ UInt32(byte)) { crc, _ in crc & 1 == 1 ? crc >> 1 ^ 0xEDB8_8320 : crc >> 1 }
        }
    }

    static func chunkTypes(_ data: Data) -> [String] {
        var types: [String] = []
        var rest = data.dropFirst(8)
        while rest.count >= 12 {
            let length = rest.prefix(4).reduce(0) { $0 << 8 | Int($1) }
            types.append(String(decoding: rest.dropFirst(4).prefix(4), as: UTF8.self))
            rest = rest.dropFirst(12 + length)
        }
        return types
    }
}
