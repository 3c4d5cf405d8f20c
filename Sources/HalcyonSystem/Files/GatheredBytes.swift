package import FoundationEssentials
internal import Glibc

/// Bytes that come one piece after the other: few are gathered in a `Data`, many in memory of the pool, which goes back
/// to the system by itself (see `MemoryBlock`).
package struct GatheredBytes: Sendable {
    private var small = Data()
    /// Holds all bytes from the moment there are many.
    private var large: PooledMemory?
    /// The number of bytes.
    package private(set) var count = 0

    /// No bytes yet.
    package init() {}

    /// These bytes.
    package init(_ data: Data) {
        data.withUnsafeBytes { append($0) }
    }

    /// A Boolean value that indicates whether there are no bytes.
    package var isEmpty: Bool { count == 0 }

    /// Makes room for so many bytes in all.
    package mutating func reserveCapacity(_ capacity: Int) {
        if large == nil, capacity < MemoryBlock.mappedByteCount {
            small.reserveCapacity(capacity)
        } else if capacity > large?.capacity ?? 0 {
            enlarge(to: capacity)
        }
    }

    /// Makes room for so many more bytes at the end.
    ///
    /// - Returns: `false` where the memory cannot be had. To append more than there is room for ends the process then.
    package mutating func makeRoom(for byteCount: Int) -> Bool {
        let end = count + byteCount
        guard large != nil || end >= MemoryBlock.mappedByteCount else { return true }
        // Memory that `data` has handed out is not written to.
        let isShared = large != nil && !isKnownUniquelyReferenced(&large)
        if isShared || end > large?.capacity ?? 0 { enlarge(to: max(end, 2 * count)) }
        return end <= large?.capacity ?? 0
    }

    /// Adds bytes at the end.
    package mutating func append(_ bytes: UnsafeRawBufferPointer) {
        guard let start = bytes.baseAddress, !bytes.isEmpty else { return }
        let end = count + bytes.count
        _ = makeRoom(for: bytes.count)
        if let large {
            (large.pointer + count).copyMemory(from: start, byteCount: bytes.count)
        } else {
            small.append(contentsOf: bytes)
        }
        count = end
    }

    /// One of the bytes. Unlike ``append(_:)``, setting it copies bytes that ``data`` has handed out.
    package subscript(index: Int) -> UInt8 {
        get { withUnsafeBytes { $0[index] } }
        set {
            if large != nil, !isKnownUniquelyReferenced(&large) { enlarge(to: count) }
            if let large {
                large.pointer.storeBytes(of: newValue, toByteOffset: index, as: UInt8.self)
            } else {
                small[index] = newValue
            }
        }
    }

    /// Removes all bytes, but not the room for them.
    package mutating func removeAllKeepingCapacity() {
        small.removeAll(keepingCapacity: true)
        if large != nil, !isKnownUniquelyReferenced(&large) { large = nil }
        count = 0
    }

    /// Lends the bytes.
    package func withUnsafeBytes<Result, Failure: Error>(
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        if let large {
            defer { withExtendedLifetime(large) {} }
            return try body(UnsafeRawBufferPointer(start: large.pointer, count: count))
        }
        let result = small.withUnsafeBytes { bytes in
            Swift.Result { () throws(Failure) in try body(bytes) }
        }
        return try result.get()
    }

    /// The bytes, without a copy unless much of the memory is unused.
    package var data: Data {
        guard let large else { return small }
        if count < large.capacity / 2, count >= MemoryBlock.mappedByteCount,
            let fitting = PooledMemory(byteCount: count)
        {
            fitting.pointer.copyMemory(from: large.pointer, byteCount: count)
            return fitting.data(count: count)
        }
        return large.data(count: count)
    }

    /// Moves the bytes into memory of the pool; where there is none, they stay.
    private mutating func enlarge(to capacity: Int) {
        guard let larger = PooledMemory(byteCount: max(capacity, MemoryBlock.mappedByteCount)) else {
            small = data
            large = nil
            return
        }
        withUnsafeBytes { bytes in
            if let start = bytes.baseAddress { larger.pointer.copyMemory(from: start, byteCount: bytes.count) }
        }
        small = Data()
        large = larger
    }
}

extension PooledMemory {
    /// Returns the first `count` bytes, which must not be written to from now on. They go back to the pool when the
    /// last copy ends.
    package func data(count: Int) -> Data {
        Data(bytesNoCopy: pointer, count: count, deallocator: .custom { [self] _, _ in withExtendedLifetime(self) {} })
    }
}

extension Data {
    /// Returns the bytes that `fill` writes into memory of `capacity` bytes: as many as it returns. A lot of memory is
    /// the pool's.
    ///
    /// - Returns: `nil` where the memory cannot be had.
    package static func filled<Failure: Error>(
        capacity: Int,
        by fill: (UnsafeMutableRawBufferPointer) throws(Failure) -> Int
    ) throws(Failure) -> Data? {
        if capacity >= MemoryBlock.mappedByteCount {
            guard let memory = PooledMemory(byteCount: capacity) else { return nil }
            let count = try fill(UnsafeMutableRawBufferPointer(start: memory.pointer, count: capacity))
            return memory.data(count: count)
        }
        guard let address = malloc(capacity) else { return nil }
        do throws(Failure) {
            let count = try fill(UnsafeMutableRawBufferPointer(start: address, count: capacity))
            return Data(bytesNoCopy: address, count: count, deallocator: .free)
        } catch {
            free(address)
            throw error
        }
    }
}
