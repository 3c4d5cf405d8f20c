/// SipHash-2-4 with 128 bits: a hash that reveals nothing of its input without the key (Aumasson and Bernstein,
/// "SipHash: a fast short-input PRF", 2012; the reference implementation's `vectors_sip128`).
///
/// A plain hash would not do where a weak password is hashed: all likely ones can be tried in minutes.
package struct KeyedHash: Sendable {
    /// The number of bytes of a key, and of a hash.
    package static let byteCount = 16

    private let key: (UInt64, UInt64)

    /// - Parameter key: The 16 bytes of the key.
    package init(key: some Sequence<UInt8>) {
        let bytes = Array(key)
        precondition(bytes.count == Self.byteCount, "a key has 16 bytes")
        self.key = (Self.word(bytes[..<8]), Self.word(bytes[8...]))
    }

    /// Returns the two words of the hash of some bytes.
    package func hash(of bytes: [UInt8]) -> (UInt64, UInt64) {
        var state = State(key)
        var rest = bytes[...]
        while rest.count >= 8 {
            state.compress(Self.word(rest.prefix(8)))
            rest = rest.dropFirst(8)
        }
        state.compress(Self.word(rest) | UInt64(truncatingIfNeeded: bytes.count) << 56)
        return state.finished()
    }

    private static func word(_ bytes: ArraySlice<UInt8>) -> UInt64 {
        bytes.reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }

    private struct State {
        var v0, v1, v2, v3: UInt64

        init(_ key: (UInt64, UInt64)) {
            v0 = key.0 ^ 0x736F_6D65_7073_6575
            v1 = key.1 ^ 0x646F_7261_6E64_6F6D ^ 0xEE
            v2 = key.0 ^ 0x6C79_6765_6E65_7261
            v3 = key.1 ^ 0x7465_6462_7974_6573
        }

        mutating func compress(_ word: UInt64) {
            v3 ^= word
            round()
            round()
            v0 ^= word
        }

        mutating func finished() -> (UInt64, UInt64) {
            v2 ^= 0xEE
            for _ in 0..<4 { round() }
            let first = v0 ^ v1 ^ v2 ^ v3
            v1 ^= 0xDD
            for _ in 0..<4 { round() }
            return (first, v0 ^ v1 ^ v2 ^ v3)
        }

        private mutating func round() {
            v0 &+= v1
            v1 = rotated(v1, 13) ^ v0
            v0 = rotated(v0, 32)
            v2 &+= v3
            v3 = rotated(v3, 16) ^ v2
            v0 &+= v3
            v3 = rotated(v3, 21) ^ v0
            v2 &+= v1
            v1 = rotated(v1, 17) ^ v2
            v2 = rotated(v2, 32)
        }

        private func rotated(_ word: UInt64, _ count: UInt64) -> UInt64 {
            word &<< count | word &>> (64 - count)
        }
    }
}
