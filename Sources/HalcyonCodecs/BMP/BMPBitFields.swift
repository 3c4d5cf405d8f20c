/// The places of the bits of red, green, blue and alpha in a pixel of 16 or 32 bits.
struct BMPBitFields {
    /// The bits of one channel: next to each other, or none.
    struct Channel {
        let shift: UInt32
        let bitCount: Int

        var mask: UInt32 { bitCount == 0 ? 0 : (UInt32.max >> UInt32(32 - bitCount)) << shift }
    }

    /// Red, green, blue, alpha.
    let channels: [Channel]

    /// The fields of 16 bits a pixel where the header has no masks.
    static let fiveBits = BMPBitFields(
        channels: [10, 5, 0].map { Channel(shift: $0, bitCount: 5) } + [Channel(shift: 0, bitCount: 0)]
    )

    /// The fields of 32 bits a pixel in an icon.
    static let eightBitsWithAlpha = BMPBitFields(channels: [16, 8, 0, 24].map { Channel(shift: $0, bitCount: 8) })

    private init(channels: [Channel]) {
        self.channels = channels
    }

    /// The fields that four masks name in a pixel of 16 or 32 bits.
    ///
    /// As in browsers, bits that no pixel has do not count, and a channel without any is absent. Of a mask with a
    /// gap, the lowest bits that lie side by side count, as in Firefox.
    init(_ masks: [UInt32], bitsPerPixel: Int) {
        channels = masks.map { mask in
            let mask = mask & (UInt32.max >> UInt32(32 - bitsPerPixel))
            guard mask != 0 else {
                return Channel(shift: 0, bitCount: 0)
            }
            let shift = UInt32(mask.trailingZeroBitCount)
            return Channel(shift: shift, bitCount: (~(mask >> shift)).trailingZeroBitCount)
        }
    }

    var hasAlpha: Bool { channels[3].bitCount > 0 }

    /// Bits of the widest channel, at most 16.
    var bitDepth: Int { min(16, channels.reduce(1) { max($0, $1.bitCount) }) }

    /// The 8-bit samples for every value of each channel's upper 8 bits, the four channels one behind the other.
    ///
    /// A channel of n bits from 0 to 2^n - 1 is spread over 0 to 255 and rounded to nearest. Of one with more than 8
    /// bits, the upper 8 count. An absent colour is 0, absent alpha 255.
    var samples: [UInt8] {
        channels.indices.flatMap { index in
            let greatest = (1 << min(8, channels[index].bitCount)) - 1
            return (0..<256).map { value in
                greatest == 0 ? (index == 3 ? 255 : 0) : UInt8((min(value, greatest) * 510 + greatest) / (2 * greatest))
            }
        }
    }
}
