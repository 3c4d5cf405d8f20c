internal import FoundationEssentials
internal import Glibc

extension DiskCache {
    /// The outcome of reading a body.
    enum BodyResult {
        /// The body and its hash.
        case sound(Data, hash: UInt64)
        case missing
        case damaged(String)
    }

    /// Reads and checks the body of an entry. Throws if the system cannot read now what may well be sound.
    ///
    /// Files are read and not mapped: a file cut short while it is mapped ends the process with SIGBUS.
    func readBody(of row: DiskIndexRow) throws -> BodyResult {
        guard let file = row.file else {
            guard let body = row.inlineBody else { return .damaged("its body is missing in the index") }
            return check(body, Checksum.hash(of: body), row)
        }
        let read: (Data, UInt64)?
        do {
            read = try readFile(layout.body(file), size: row.size)
        } catch FileSystemError.notFound {
            return .missing
        }
        guard let read else { return .damaged("its file has another length than was stored") }
        return check(read.0, read.1, row)
    }

    private func check(_ body: Data, _ hash: UInt64, _ row: DiskIndexRow) -> BodyResult {
        let isSound = body.count == row.size && Checksum.entry(body: hash, metadata: row.metadata) == row.checksum
        return isSound ? .sound(body, hash: hash) : .damaged("its checksum is wrong")
    }

    /// Reads a file that must have `size` bytes; nil if it has another number.
    func readFile(_ path: String, size: Int) throws(FileSystemError) -> (Data, UInt64)? {
        let descriptor = try fileSystem.openForReading(path)
        defer { fileSystem.close(descriptor) }
        // Where the length would matter it is compared before any memory is taken, so that a damaged index cannot ask
        // for too much. For a smaller body the reading itself shows its length.
        if size > 1 << 22 {
            let status = try fileSystem.status(of: descriptor)
            guard status.kind == .file, status.size == size else { return nil }
        }
        // One byte more than the body has: the file must end before it.
        guard size > 0 else { return nil }
        var hash: UInt64?
        do throws(FileSystemError) {
            let body = try Data.filled(capacity: size + 1) { (buffer) throws(FileSystemError) in
                hash = try fill(buffer, from: descriptor)
                return size
            }
            guard let body, let hash else { return nil }
            return (body, hash)
        } catch {
            // A folder or a pipe in place of the file cannot be read, and never will be.
            guard (try? fileSystem.status(of: descriptor).kind) ?? .file == .file else { return nil }
            throw error
        }
    }

    /// Reads to the end of the file, which must be one byte before that of the buffer, and returns the hash of what it
    /// read; nil if the file ends elsewhere. Larger bodies are hashed in pieces, while they are in the processor's
    /// cache.
    private func fill(
        _ buffer: UnsafeMutableRawBufferPointer,
        from descriptor: FileDescriptor
    ) throws(FileSystemError) -> UInt64? {
        let size = buffer.count - 1
        let checksum = size > Self.pieceSize ? Checksum() : nil
        var offset = 0
        while offset < size {
            // The byte after the body is never asked for alone.
            let rest = buffer.count - offset
            let length = rest <= Self.pieceSize + 1 ? rest : Self.pieceSize
            let piece = UnsafeMutableRawBufferPointer(rebasing: buffer[offset..<offset + length])
            let count = try fileSystem.read(descriptor, into: piece, at: offset)
            guard count > 0, offset + count <= size else { return nil }
            checksum?.update(UnsafeRawBufferPointer(rebasing: piece[..<count]))
            offset += count
        }
        return checksum?.value ?? Checksum.hash(of: UnsafeRawBufferPointer(rebasing: buffer[..<size]))
    }

    /// The number of bytes that fits the second level of a processor's cache. Half of it makes reading 1 MB 5 % slower;
    /// more gains nothing.
    private static var pieceSize: Int { 262_144 }

    /// Ends the removal of entries after its commit: removes their files, and reports it to the listeners.
    func finish(_ removed: RemovedRows, _ reason: CacheRemoval<String>.Reason) {
        removeFiles(removed.files)
        listeners.tell(removed.keys, reason)
    }

    /// Removes the files of entries that were removed. A file that cannot be removed is an orphan, left to the next
    /// clean.
    func removeFiles(_ files: [Int64]) {
        for file in files {
            try? fileSystem.removeFile(layout.body(file))
        }
    }
}
