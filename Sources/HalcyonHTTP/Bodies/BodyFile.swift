internal import FoundationEssentials
internal import HalcyonSystem

/// A file that a body is gathered in. Used by one thread at a time.
protocol BodyFile: Sendable {
    /// The bytes it holds: those whose ``append(_:)`` returned.
    var count: Int { get }
    /// Adds bytes at the end. After an error the file still holds ``count`` bytes, but takes no more.
    func append(_ bytes: UnsafeRawBufferPointer) throws(FileSystemError)
    /// Copies the first ``count`` bytes into memory.
    func copy() throws(FileSystemError) -> Data
    /// Gives up the file's name, if it has one, and returns its bytes, which cannot change any more.
    func finish() throws(FileSystemError) -> Data
    /// Closes it, and removes it unless its bytes are of use to a later transfer and `keepsBytes` is set. May be called
    /// more than once.
    func close(keepsBytes: Bool)
}

extension FileSystem {
    /// Copies `count` bytes from the beginning of a file into memory.
    func copy(_ descriptor: FileDescriptor, count: Int) throws(FileSystemError) -> Data {
        let data = try Data.filled(capacity: count) { (buffer) throws(FileSystemError) in
            try readAll(descriptor, into: buffer, at: 0)
        }
        guard let data, data.count == count else { throw .inputOutput }
        return data
    }

    /// Returns the bytes of a file that has no name any more: mapped, or where that is not possible, read.
    func bytes(of descriptor: FileDescriptor, count: Int) throws(FileSystemError) -> Data {
        guard count > 0 else { return Data() }
        do throws(FileSystemError) {
            return try map(descriptor, size: count)
        } catch {
            return try copy(descriptor, count: count)
        }
    }
}
