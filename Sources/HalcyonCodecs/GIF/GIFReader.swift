/// Reads a GIF from front to back; beyond the last byte everything is `nil`, never a trap.
struct GIFReader {
    private let bytes: UnsafeRawBufferPointer
    private(set) var offset: Int

    init(_ bytes: UnsafeRawBufferPointer, offset: Int) {
        self.bytes = bytes
        self.offset = offset
    }

    mutating func byte() -> UInt8? {
        guard offset < bytes.count else {
            return nil
        }
        defer { offset += 1 }
        return bytes[offset]
    }

    /// A number of two bytes, the lower first.
    mutating func number() -> Int? {
        guard bytes.count - offset >= 2 else {
            return nil
        }
        defer { offset += 2 }
        return Int(bytes[offset]) | Int(bytes[offset + 1]) << 8
    }

    /// Passes over bytes that must be there, and says where they lie.
    mutating func range(count: Int) -> Range<Int>? {
        guard bytes.count - offset >= count else {
            return nil
        }
        defer { offset += count }
        return offset..<offset + count
    }

    /// The next sub-block (GIF89a, 15), which is empty at the end of a sequence.
    mutating func subBlock() -> Range<Int>? {
        guard let count = byte() else {
            return nil
        }
        return range(count: Int(count))
    }

    /// Passes over sub-blocks up to and including the empty one; says whether that was there.
    mutating func skipSubBlocks() -> Bool {
        // A local variable, because there are thousands of blocks in a file, of which nothing but the length is read.
        var place = offset
        while place < bytes.count {
            let count = Int(bytes[place])
            guard bytes.count - place > count else {
                offset = place + 1
                return false
            }
            place += 1 + count
            if count == 0 {
                offset = place
                return true
            }
        }
        offset = place
        return false
    }
}
