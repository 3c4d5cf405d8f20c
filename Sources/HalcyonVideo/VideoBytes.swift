internal import FoundationEssentials
internal import Glibc
internal import HalcyonCodecs

/// The bytes of a container: in memory, or in an open file, of which only what is needed is read. Belongs to one
/// thread.
final class VideoBytes {
    private enum Location {
        case memory(UnsafeRawBufferPointer)
        case file(descriptor: Int32)
    }

    /// A number of four bytes that is read in place of the one at an offset.
    struct Substitute {
        let offset: Int
        let value: Int
    }

    private let location: Location
    let count: Int
    /// In the order of their offsets.
    private var substitutes: [Substitute] = []

    /// - Parameter bytes: Borrowed for as long as this object is used.
    init(_ bytes: UnsafeRawBufferPointer) {
        (location, count) = (.memory(bytes), bytes.count)
    }

    /// - Parameters:
    ///   - descriptor: Of a regular file, which stays open as long as this object is used.
    ///   - count: Its number of bytes.
    init(descriptor: Int32, count: Int) {
        (location, self.count) = (.file(descriptor: descriptor), count)
    }

    /// Makes numbers take the place of those in the file, from now on.
    func substitute(_ substitutes: [Substitute]) {
        self.substitutes = substitutes.sorted { $0.offset < $1.offset }
    }

    private func apply(_ target: UnsafeMutableRawPointer, from offset: Int, to end: Int) {
        // The first that reaches beyond the offset.
        var (index, last) = (0, substitutes.count)
        while index < last {
            let middle = (index + last) / 2
            if substitutes[middle].offset + 4 <= offset { index = middle + 1 } else { last = middle }
        }
        while index < substitutes.count, substitutes[index].offset < end {
            let substitute = substitutes[index]
            for byte in 0..<4 where offset..<end ~= substitute.offset + byte {
                let value = UInt8(truncatingIfNeeded: substitute.value >> (24 - 8 * byte))
                target.storeBytes(of: value, toByteOffset: substitute.offset + byte - offset, as: UInt8.self)
            }
            index += 1
        }
    }

    /// Reads up to as many bytes as there is room for. A file may have become shorter since it was opened.
    ///
    /// - Returns: The number of bytes; 0 at the end, -1 where they cannot be read.
    func read(at offset: Int, into buffer: UnsafeMutableRawBufferPointer) -> Int {
        guard offset >= 0, offset < count, let target = buffer.baseAddress else {
            return 0
        }
        let wanted = min(buffer.count, count - offset)
        switch location {
        case .memory(let bytes):
            // There are bytes, so there is an address.
            guard let start = bytes.baseAddress else { return 0 }
            target.copyMemory(from: start + offset, byteCount: wanted)
            apply(target, from: offset, to: offset + wanted)
            return wanted
        case .file(let descriptor):
            while true {
                let read = pread(descriptor, target, wanted, off_t(offset))
                if read > 0 { apply(target, from: offset, to: offset + read) }
                if read >= 0 || errno != EINTR { return read }
            }
        }
    }

    /// Returns the fields that a box begins with, as far as the bytes go: its size, its type, and a size of 64 bits.
    func header(at offset: Int) -> (size: Int, type: UInt32, wideSize: Int?)? {
        var fields = (UInt32(0), UInt32(0), UInt64(0))
        let read = withUnsafeMutableBytes(of: &fields) { self.read(at: offset, into: $0) }
        guard read >= 8 else { return nil }
        let wideSize = read < 16 ? nil : Int(exactly: UInt64(bigEndian: fields.2))
        return (Int(UInt32(bigEndian: fields.0)), UInt32(bigEndian: fields.1), wideSize)
    }

    /// Returns the bytes at an offset, fewer where they end; empty where they cannot be read.
    ///
    /// - Throws: ``CodecError/bitmap(_:)`` where the memory cannot be allocated.
    func bytes(at offset: Int, count: Int) throws(CodecError) -> Data {
        try .written(capacity: count) { max(0, read(at: offset, into: $0)) }
    }
}
