package import FoundationEssentials

/// Reads numbers at any offset of untrusted bytes: whatever lies outside is `nil`, never a trap.
package struct ByteReader {
    package enum ByteOrder {
        case bigEndian
        case littleEndian
    }

    package let data: Data
    package let order: ByteOrder

    package init(_ data: Data, order: ByteOrder = .bigEndian) {
        self.data = data
        self.order = order
    }

    package var count: Int { data.count }

    package func uint8(at offset: Int) -> Int? {
        guard offset >= 0, offset < data.count else {
            return nil
        }
        return Int(data[data.startIndex + offset])
    }

    package func uint16(at offset: Int) -> Int? {
        unsigned(at: offset, byteCount: 2)
    }

    package func uint24(at offset: Int) -> Int? {
        unsigned(at: offset, byteCount: 3)
    }

    package func uint32(at offset: Int) -> Int? {
        unsigned(at: offset, byteCount: 4)
    }

    /// The bytes from `offset`, or `nil` if they do not all exist.
    package func bytes(at offset: Int, count: Int) -> Data? {
        guard offset >= 0, count >= 0, offset <= data.count, count <= data.count - offset else {
            return nil
        }
        let start = data.startIndex + offset
        return data[start..<start + count]
    }

    /// Returns whether `text`, as ASCII, stands at `offset`.
    package func hasText(_ text: StaticString, at offset: Int) -> Bool {
        guard let bytes = bytes(at: offset, count: text.utf8CodeUnitCount) else {
            return false
        }
        return text.withUTF8Buffer { bytes.elementsEqual($0) }
    }

    private func unsigned(at offset: Int, byteCount: Int) -> Int? {
        guard let bytes = bytes(at: offset, count: byteCount) else {
            return nil
        }
        var value = 0
        switch order {
        case .bigEndian:
            for byte in bytes { value = value << 8 | Int(byte) }
        case .littleEndian:
            for byte in bytes.reversed() { value = value << 8 | Int(byte) }
        }
        return value
    }
}

extension ByteReader {
    /// `nil` also where the number is beyond `Int.max`, which no file reaches.
    package func uint64(at offset: Int) -> Int? {
        guard let first = uint32(at: offset), let second = uint32(at: offset + 4) else {
            return nil
        }
        let (high, low) = order == .bigEndian ? (first, second) : (second, first)
        return high < 1 << 31 ? high << 32 | low : nil
    }
}
