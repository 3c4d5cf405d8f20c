/// Writes the encoding of ``StoredResponse/metadata``.
struct MetadataWriter {
    private(set) var bytes: [UInt8] = []

    init() {
        bytes.reserveCapacity(512)
    }

    mutating func append(contentsOf raw: [UInt8]) {
        bytes += raw
    }

    mutating func append(_ number: Int) {
        var rest = UInt(bitPattern: number)
        while rest >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(rest))
    }

    /// Appends a number with its sign in the lowest bit.
    mutating func append(signed number: Int) {
        append((number << 1) ^ (number >> (Int.bitWidth - 1)))
    }

    /// Appends the length, then the bytes.
    mutating func append(_ text: some Collection<UInt8>) {
        append(text.count)
        bytes += text
    }
}
