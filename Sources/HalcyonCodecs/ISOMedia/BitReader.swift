/// Reads numbers of any count of bits of untrusted bytes, the highest bit of a byte first: what lies behind the end is
/// `nil`, never a trap.
struct BitReader {
    private let bytes: [UInt8]
    private var position = 0

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// Passes over bits, and returns whether that many are there.
    mutating func skip(_ count: Int) -> Bool {
        position += count
        return position <= bytes.count * 8
    }

    /// - Parameter count: At most 32.
    mutating func read(_ count: Int) -> Int? {
        guard position + count <= bytes.count * 8 else {
            return nil
        }
        var value = 0
        for index in position..<position + count {
            value = value << 1 | Int(bytes[index / 8] >> (7 - index % 8) & 1)
        }
        position += count
        return value
    }

    mutating func readFlag() -> Bool? {
        read(1).map { $0 == 1 }
    }

    /// A number in the code of Exp-Golomb (ITU-T H.265, 9.2; AV1, 4.10.3), or `nil` for one of more than 31 bits.
    mutating func readExponential() -> Int? {
        var zeroCount = 0
        while let bit = read(1) {
            guard bit == 0 else {
                return read(zeroCount).map { (1 << zeroCount) - 1 + $0 }
            }
            zeroCount += 1
            guard zeroCount <= 31 else {
                return nil
            }
        }
        return nil
    }
}
