/// A pixel in one word: as bytes in memory red, green, blue, alpha, not premultiplied. (Linux is little-endian on the
/// machines this library supports.)
struct QOIPixel: Equatable {
    /// The pixel at which the decoder and the encoder start.
    static let black = QOIPixel(bits: 0xff00_0000)

    private(set) var bits: UInt32

    init(bits: UInt32) {
        self.bits = bits
    }

    var red: UInt8 { UInt8(truncatingIfNeeded: bits) }
    var green: UInt8 { UInt8(truncatingIfNeeded: bits >> 8) }
    var blue: UInt8 { UInt8(truncatingIfNeeded: bits >> 16) }
    var alpha: UInt8 { UInt8(truncatingIfNeeded: bits >> 24) }

    /// The place among 64 recent pixels: (3r + 5g + 7b + 11a) mod 64.
    var hash: Int {
        let sum = UInt32(red) &* 3 &+ UInt32(green) &* 5 &+ UInt32(blue) &* 7 &+ UInt32(alpha) &* 11
        return Int(truncatingIfNeeded: sum & 63)
    }

    mutating func set(_ red: UInt8, _ green: UInt8, _ blue: UInt8, alpha: UInt8) {
        bits = UInt32(red) | UInt32(green) << 8 | UInt32(blue) << 16 | UInt32(alpha) << 24
    }

    /// Adds to the colours, which wrap around.
    mutating func add(_ red: UInt8, _ green: UInt8, _ blue: UInt8) {
        set(self.red &+ red, self.green &+ green, self.blue &+ blue, alpha: alpha)
    }
}
