package import FoundationEssentials

/// The lines of a file, read piece by piece: the memory needed does not grow with the file.
package struct FileLines {
    private let descriptor: FileDescriptor
    private let fileSystem: any FileSystem
    private var offset = 0
    /// The bytes that were read; those up to `start` were returned.
    private var bytes = Data()
    private var start = 0
    private var isAtEnd = false

    package struct LineTooLong: Error {}

    /// The lines from the beginning. The descriptor stays the caller's.
    package init(_ descriptor: FileDescriptor, _ fileSystem: any FileSystem) {
        self.descriptor = descriptor
        self.fileSystem = fileSystem
    }

    /// Returns the next line without its line feed; nil at the end. A last line need not have one.
    ///
    /// - Throws: ``LineTooLong`` before a line above `limit` bytes is read in whole, and `FileSystemError`.
    package mutating func next(limit: Int) throws -> Data? {
        var searched = start
        while true {
            if let end = bytes[searched...].firstIndex(of: 10) {
                defer { start = end + 1 }
                return Data(bytes[start..<end])
            }
            bytes = Data(bytes[start...])
            start = 0
            searched = bytes.count
            guard searched <= limit else { throw LineTooLong() }
            if isAtEnd {
                defer { bytes = Data() }
                return bytes.isEmpty ? nil : bytes
            }
            try readPiece()
        }
    }

    private mutating func readPiece() throws(FileSystemError) {
        var piece = [UInt8](repeating: 0, count: 65_536)
        var count = 0
        var failure: FileSystemError?
        piece.withUnsafeMutableBytes { buffer in
            do throws(FileSystemError) {
                count = try fileSystem.read(descriptor, into: buffer, at: offset)
            } catch {
                failure = error
            }
        }
        if let failure { throw failure }
        offset += count
        isAtEnd = count == 0
        bytes.append(contentsOf: piece[..<count])
    }
}
