internal import Glibc

/// MD5 (RFC 1321), for names that a specification derives with it. It withstands no attack: different bytes with the
/// same digest are easy to find.
package enum MD5 {
    /// The number of bits by which each step rotates (RFC 1321, section 3.4).
    private static let rotations: [UInt32] = [
        7, 12, 17, 22, 7, 12, 17, 22, 7, 12, 17, 22, 7, 12, 17, 22,
        5, 9, 14, 20, 5, 9, 14, 20, 5, 9, 14, 20, 5, 9, 14, 20,
        4, 11, 16, 23, 4, 11, 16, 23, 4, 11, 16, 23, 4, 11, 16, 23,
        6, 10, 15, 21, 6, 10, 15, 21, 6, 10, 15, 21, 6, 10, 15, 21,
    ]

    /// The constants of the steps: the first 32 bits behind the point of the sines of 1 to 64.
    private static let sines: [UInt32] = (1...64).map { UInt32(abs(sin(Double($0))) * 0x1p32) }

    /// Returns the digest of bytes in hexadecimal digits.
    package static func hexadecimal(of bytes: [UInt8]) -> String {
        var state: [UInt32] = [0x6745_2301, 0xEFCD_AB89, 0x98BA_DCFE, 0x1032_5476]
        let padded = padded(bytes)
        for start in stride(from: 0, to: padded.count, by: 64) {
            process(padded[start..<start + 64], into: &state)
        }
        return state.flatMap(littleEndianBytes).map(\.hexadecimalDigits).joined()
    }

    /// Returns the message with a one bit, zeros and its length in bits (RFC 1321, sections 3.1 and 3.2).
    private static func padded(_ bytes: [UInt8]) -> [UInt8] {
        let zeroCount = (119 - bytes.count % 64) % 64
        let bitCount = UInt64(bytes.count) * 8
        let length =
            littleEndianBytes(UInt32(truncatingIfNeeded: bitCount))
            + littleEndianBytes(UInt32(truncatingIfNeeded: bitCount >> 32))
        return bytes + [0x80] + [UInt8](repeating: 0, count: zeroCount) + length
    }

    private static func littleEndianBytes(_ word: UInt32) -> [UInt8] {
        [0, 8, 16, 24].map { UInt8(truncatingIfNeeded: word >> $0) }
    }

    /// Processes one block of 64 bytes (RFC 1321, section 3.4).
    private static func process(_ block: ArraySlice<UInt8>, into state: inout [UInt32]) {
        let words = stride(from: block.startIndex, to: block.endIndex, by: 4).map { index in
            block[index..<index + 4].reversed().reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
        }
        var (a, b, c, d) = (state[0], state[1], state[2], state[3])
        for step in 0..<64 {
            let (mixed, word) =
                switch step / 16 {
                case 0: ((b & c) | (~b & d), step)
                case 1: ((d & b) | (~d & c), (5 * step + 1) % 16)
                case 2: (b ^ c ^ d, (3 * step + 5) % 16)
                default: (c ^ (b | ~d), 7 * step % 16)
                }
            let sum = a &+ mixed &+ sines[step] &+ words[word]
            let rotation = rotations[step]
            (a, d, c, b) = (d, c, b, b &+ (sum << rotation | sum >> (32 - rotation)))
        }
        for (index, value) in [a, b, c, d].enumerated() {
            state[index] &+= value
        }
    }
}
