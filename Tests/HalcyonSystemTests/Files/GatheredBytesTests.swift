import FoundationEssentials
import HalcyonSystem
import HalcyonTesting
import Testing

@Suite("bytes that are gathered piece by piece")
struct GatheredBytesTests {
    /// Lengths on either side of the one from which the pool is used.
    private static let lengths = [0, 1, 1_000, MemoryBlock.mappedByteCount, 3 * MemoryBlock.mappedByteCount + 7]

    private func bytes(_ count: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) }
    }

    private func gathered(_ bytes: [UInt8], pieceSize: Int, reserving: Int = 0) -> GatheredBytes {
        var gathered = GatheredBytes()
        gathered.reserveCapacity(reserving)
        var rest = bytes[...]
        while !rest.isEmpty {
            rest.prefix(pieceSize).withUnsafeBytes { gathered.append($0) }
            rest = rest.dropFirst(pieceSize)
        }
        return gathered
    }

    @Test("are all there in their order", arguments: lengths, [1_024, 100_003, 1 << 20])
    func order(count: Int, pieceSize: Int) {
        let bytes = bytes(count)
        for reserved in [0, count, 2 * count, 16 << 20] {
            let gathered = gathered(bytes, pieceSize: pieceSize, reserving: reserved)
            #expect(gathered.count == count && gathered.isEmpty == (count == 0))
            #expect(firstDifference([UInt8](gathered.data), bytes) == nil)
            #expect(gathered.withUnsafeBytes { firstDifference(Array($0), bytes) } == nil)
        }
    }

    @Test("what was handed out stays as it was when more is added", arguments: lengths)
    func handedOut(count: Int) {
        let bytes = bytes(count)
        var gathered = gathered(bytes, pieceSize: 65_536, reserving: 4 << 20)
        let data = gathered.data
        gathered.append(UnsafeRawBufferPointer(start: nil, count: 0))
        bytes.reversed().withUnsafeBytes { gathered.append($0) }
        #expect(firstDifference([UInt8](data), bytes) == nil)
        #expect(firstDifference([UInt8](gathered.data), bytes + bytes.reversed()) == nil)
    }

    @Test("one that is changed stays as it was in what was handed out", arguments: lengths.dropFirst())
    func changed(count: Int) {
        let bytes = bytes(count)
        var gathered = gathered(bytes, pieceSize: 65_536)
        let data = gathered.data
        gathered[count - 1] = ~bytes[count - 1]
        #expect(gathered[count - 1] == ~bytes[count - 1])
        #expect(firstDifference([UInt8](data), bytes) == nil)
        #expect(firstDifference([UInt8](gathered.data), bytes.dropLast() + [~bytes[count - 1]]) == nil)
    }

    @Test("have no room where the memory cannot be had, and stay as they are", arguments: lengths)
    func refused(count: Int) {
        let bytes = bytes(count)
        var gathered = gathered(bytes, pieceSize: 65_536)
        #expect(gathered.makeRoom(for: 10) && !gathered.makeRoom(for: 1 << 50))
        #expect(firstDifference([UInt8](gathered.data), bytes) == nil)
    }

    @Test("can be emptied and filled again without touching what was handed out", arguments: lengths)
    func refilled(count: Int) {
        let bytes = bytes(count)
        var gathered = gathered(bytes, pieceSize: 65_536)
        let data = gathered.data
        gathered.removeAllKeepingCapacity()
        #expect(gathered.isEmpty && gathered.data.isEmpty)
        bytes.reversed().withUnsafeBytes { gathered.append($0) }
        #expect(firstDifference([UInt8](data), bytes) == nil)
        #expect(firstDifference([UInt8](gathered.data), bytes.reversed()) == nil)
    }

    @Test("a copy that is changed leaves the other as it was", arguments: lengths)
    func copies(count: Int) {
        let bytes = bytes(count)
        let first = gathered(bytes, pieceSize: 65_536, reserving: 2 * count)
        var second = first
        second.append(UnsafeRawBufferPointer(start: nil, count: 0))
        bytes.withUnsafeBytes { second.append($0) }
        var third = first
        third.removeAllKeepingCapacity()
        [UInt8](repeating: 7, count: count).withUnsafeBytes { third.append($0) }
        #expect(firstDifference([UInt8](first.data), bytes) == nil)
        #expect(second.count == 2 * count && third.count == count)
    }

    @Test("bytes that are read at once may be fewer than there is room for, and none", arguments: lengths)
    func filled(count: Int) throws {
        let bytes = bytes(count)
        let data = Data.filled(capacity: count + 10) { buffer in
            buffer.copyBytes(from: bytes)
            return count
        }
        #expect(firstDifference([UInt8](try #require(data)), bytes) == nil)
    }

    @Test("an error while reading is passed on", arguments: [10, 1 << 20])
    func failure(capacity: Int) {
        #expect(throws: FileSystemError.inputOutput) {
            try Data.filled(capacity: capacity) { (_) throws(FileSystemError) -> Int in throw .inputOutput }
        }
    }
}
