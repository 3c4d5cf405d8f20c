import FoundationEssentials
import HalcyonCodecs

/// BMP files, byte by byte.
enum BMPBytes {
    static func number(_ value: Int, _ byteCount: Int = 4) -> [UInt8] {
        (0..<byteCount).map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) }
    }

    /// BITMAPINFOHEADER, or with more bytes one of those that extend it.
    static func header(
        _ width: Int,
        _ height: Int,
        bits: Int,
        compression: Int = 0,
        colors: Int = 0,
        byteCount: Int = 40,
        further: [UInt8] = []
    ) -> [UInt8] {
        let fields = number(byteCount) + number(width) + number(height) + number(1, 2) + number(bits, 2)
        let all =
            fields + number(compression) + number(0) + number(0) + number(0) + number(colors) + number(0) + further
        return all + [UInt8](repeating: 0, count: max(0, byteCount - all.count))
    }

    /// A whole file: a header, what stands between it and the pixels, and the pixels.
    static func file(_ header: [UInt8], _ between: [UInt8], _ pixels: [UInt8], offset: Int? = nil) -> Data {
        let offset = offset ?? 14 + header.count + between.count
        let all = header + between + pixels
        return Data(Array("BM".utf8) + number(14 + all.count) + number(0) + number(offset) + all)
    }

    /// A file without anything between its header and the pixels.
    static func file(_ header: [UInt8], _ pixels: [UInt8]) -> Data {
        file(header, [], pixels)
    }

    /// Colours of a palette, from red, green and blue.
    static func palette(_ colors: [(UInt8, UInt8, UInt8)], entrySize: Int = 4) -> [UInt8] {
        colors.flatMap { [$0.2, $0.1, $0.0] + [UInt8](repeating: 0, count: entrySize - 3) }
    }

    static let red: [UInt8] = [255, 0, 0, 255]
    static let green: [UInt8] = [0, 255, 0, 255]
    static let blue: [UInt8] = [0, 0, 255, 255]
    static let white: [UInt8] = [255, 255, 255, 255]
    static let black: [UInt8] = [0, 0, 0, 255]
    static let clear: [UInt8] = [0, 0, 0, 0]

    /// Black, red, green, blue.
    static let fourColors = palette([(0, 0, 0), (255, 0, 0), (0, 255, 0), (0, 0, 255)])
}
