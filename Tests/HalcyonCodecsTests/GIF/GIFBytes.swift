import FoundationEssentials

/// Builds GIF files block by block, right or wrong, independently of the encoder.
enum GIFBytes {
    /// Black, white, red, green.
    static let colors: [UInt8] = [0, 0, 0, 255, 255, 255, 255, 0, 0, 0, 255, 0]

    static func header(_ width: Int, _ height: Int, palette: [UInt8]? = colors) -> [UInt8] {
        let flags: UInt8 = palette == nil ? 0 : 0x80 | 1
        return Array("GIF89a".utf8) + number(width) + number(height) + [flags, 0, 0] + (palette ?? [])
    }

    static func control(disposal: UInt8 = 0, delay: Int = 0, transparent: UInt8? = nil) -> [UInt8] {
        let flags = disposal << 2 | (transparent == nil ? 0 : 1)
        return [0x21, 0xF9, 4, flags] + number(delay) + [transparent ?? 0, 0]
    }

    static func loop(_ count: Int, name: String = "NETSCAPE2.0") -> [UInt8] {
        [0x21, 0xFF, 11] + Array(name.utf8) + [3, 1] + number(count) + [0]
    }

    /// An image whose data are a clear code before each index, so that no run is ever made.
    static func image(
        _ left: Int,
        _ top: Int,
        _ width: Int,
        _ height: Int,
        _ indices: [UInt8],
        palette: [UInt8]? = nil,
        interlaced: Bool = false
    ) -> [UInt8] {
        let flags: UInt8 = (palette == nil ? 0 : 0x80 | 1) | (interlaced ? 0x40 : 0)
        return [0x2C] + number(left) + number(top) + number(width) + number(height) + [flags] + (palette ?? [])
            + data(indices.flatMap { [4, Int($0)] } + [5])
    }

    /// An image at the upper left corner, with these data.
    static func image(_ width: Int, _ height: Int, data: [UInt8]) -> [UInt8] {
        [0x2C, 0, 0, 0, 0] + number(width) + number(height) + [0] + data
    }

    /// Codes of three bits, as a minimum code size of 2 makes them.
    static func data(_ codes: [Int]) -> [UInt8] {
        data(minimumCodeSize: 2, codes.map { (code: $0, bitCount: 3) })
    }

    /// Codes with their numbers of bits.
    static func data(minimumCodeSize: UInt8, _ codes: [(code: Int, bitCount: Int)]) -> [UInt8] {
        var bytes: [UInt8] = []
        var accumulator = 0
        var bitCount = 0
        for code in codes {
            accumulator |= code.code << bitCount
            bitCount += code.bitCount
            while bitCount >= 8 {
                bytes.append(UInt8(accumulator & 255))
                accumulator >>= 8
                bitCount -= 8
            }
        }
        if bitCount > 0 {
            bytes.append(UInt8(accumulator))
        }
        let blocks = stride(from: 0, to: bytes.count, by: 255).flatMap { start in
            let block = bytes[start..<min(start + 255, bytes.count)]
            return [UInt8(block.count)] + block
        }
        return [minimumCodeSize] + blocks + [0]
    }

    static func file(_ blocks: [UInt8]...) -> Data {
        Data(blocks.flatMap { $0 } + [0x3B])
    }

    static func number(_ value: Int) -> [UInt8] {
        [UInt8(value & 255), UInt8(value >> 8)]
    }
}
