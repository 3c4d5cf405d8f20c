/// Reads a GIF from front to back; beyond the last byte everything is `nil`, never a trap.
struct GIFReader {
    /// The sub-blocks that are passed over at most: those of a gigabyte, as encoders write them. Forged ones of a byte
    /// each would take seconds.
    private static let greatestBlockCount = 1 << 22
    /// The sub-blocks that are passed over in the time of reading another block.
    private static let blockWeight = 8

    private let bytes: UnsafeRawBufferPointer
    private(set) var offset: Int
    private var blockCount = 0

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

    /// Passes over bytes as far as they are there, and says where they lie.
    mutating func range(upTo count: Int) -> Range<Int> {
        let start = offset
        offset = min(bytes.count, start + count)
        return start..<offset
    }

    /// The next sub-block (GIF89a, 15), which is empty at the end of a sequence.
    mutating func subBlock() -> Range<Int>? {
        guard let count = byte() else {
            return nil
        }
        return range(count: Int(count))
    }

    /// A Boolean value that indicates whether there are more blocks than are worth being passed over.
    var hasTooManyBlocks: Bool { blockCount >= Self.greatestBlockCount }

    /// Counts a block that is none of the sub-blocks passed over.
    mutating func countBlock() {
        blockCount += Self.blockWeight
    }

    /// Passes over sub-blocks up to and including the empty one, or to the end of the bytes; says whether it was there.
    mutating func skipSubBlocks() -> Bool {
        // A local variable, because there are thousands of blocks in a file, of which nothing but the length is read.
        var (place, rest) = (offset, Self.greatestBlockCount - blockCount)
        defer { blockCount = Self.greatestBlockCount - rest }
        while place < bytes.count, rest > 0 {
            rest -= 1
            let count = Int(bytes[place])
            guard bytes.count - place > count else {
                offset = bytes.count
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
