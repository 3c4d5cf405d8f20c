package import FoundationEssentials
package import HalcyonRaster
package import HalcyonSystem

// An encoded file is as large as its image demands, which a file that was decoded has stated, and so are profiles and
// metadata. Memory that is refused for them is an error, where growing `Data` or an array would end the process.

extension GatheredBytes {
    /// Adds bytes at the end.
    ///
    /// - Throws: ``CodecError/bitmap(_:)`` where the memory cannot be allocated.
    package mutating func add(_ bytes: UnsafeRawBufferPointer) throws(CodecError) {
        guard makeRoom(for: bytes.count) else { throw .bitmap(.outOfMemory(byteCount: count + bytes.count)) }
        append(bytes)
    }

    /// Adds bytes at the end.
    ///
    /// - Throws: ``CodecError/bitmap(_:)`` where the memory cannot be allocated.
    package mutating func add(_ bytes: [UInt8]) throws(CodecError) {
        try add(bytes[...])
    }

    /// Adds bytes at the end.
    ///
    /// - Throws: ``CodecError/bitmap(_:)`` where the memory cannot be allocated.
    package mutating func add(_ bytes: some ContiguousBytes) throws(CodecError) {
        let count = bytes.withUnsafeBytes(\.count)
        guard makeRoom(for: count) else { throw .bitmap(.outOfMemory(byteCount: self.count + count)) }
        bytes.withUnsafeBytes { append($0) }
    }
}

extension Data {
    /// Returns the bytes that a closure writes, as many as it returns and `capacity` at most.
    ///
    /// - Throws: ``CodecError/bitmap(_:)`` where the memory cannot be allocated.
    package static func written(
        capacity: Int,
        by write: (UnsafeMutableRawBufferPointer) throws(CodecError) -> Int
    ) throws(CodecError) -> Data {
        guard let data = try filled(capacity: capacity, by: write) else {
            throw .bitmap(.outOfMemory(byteCount: capacity))
        }
        return data
    }

    /// Returns a copy of bytes, which does not keep the file that they are a part of; `nil` of none.
    ///
    /// - Throws: ``CodecError/bitmap(_:)`` where the memory cannot be allocated.
    package static func written(copying bytes: Data?) throws(CodecError) -> Data? {
        guard let bytes else { return nil }
        return try written(capacity: bytes.count) { target in
            target.copyBytes(from: bytes)
            return target.count
        }
    }

    /// Returns a copy of bytes that a C library holds.
    ///
    /// - Throws: ``CodecError/bitmap(_:)`` where the memory cannot be allocated.
    package static func written(_ bytes: UnsafePointer<UInt8>, count: Int) throws(CodecError) -> Data {
        try written(capacity: count) { target in
            target.copyMemory(from: UnsafeRawBufferPointer(start: bytes, count: count))
            return count
        }
    }
}

extension Data {
    /// Bytes in place. They must stay as long as this value and its copies are used, and nobody writes to them through it.
    package init(borrowing bytes: UnsafeRawBufferPointer) {
        guard let start = bytes.baseAddress, !bytes.isEmpty else {
            self.init()
            return
        }
        self.init(bytesNoCopy: UnsafeMutableRawPointer(mutating: start), count: bytes.count, deallocator: .none)
    }
}

extension PixelBuffer {
    /// Returns memory for a row, or for all rows.
    ///
    /// - Throws: ``CodecError/bitmap(_:)`` where the memory cannot be allocated.
    package static func forEncoding(byteCount: Int) throws(CodecError) -> PixelBuffer {
        do {
            return try PixelBuffer(byteCount: byteCount)
        } catch {
            throw .bitmap(error)
        }
    }
}
