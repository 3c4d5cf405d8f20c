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

    /// - Throws: ``CodecError/corrupt(_:reason:)`` for a mask with a gap, or where there is no colour at all.
    init(_ masks: [UInt32], _ format: ImageFormat) throws(CodecError) {
        var channels: [Channel] = []
        for mask in masks {
            let shift = mask == 0 ? 0 : mask.trailingZeroBitCount
            let channel = Channel(shift: UInt32(shift), bitCount: mask.nonzeroBitCount)
            guard channel.mask == mask else {
                throw .corrupt(format, reason: "the bits of a channel do not lie side by side")
            }
            channels.append(channel)
        }
        guard channels.count == 4, channels[..<3].contains(where: { $0.bitCount > 0 }) else {
            throw .corrupt(format, reason: "there are no bits for colours")
        }
        self.channels = channels
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
