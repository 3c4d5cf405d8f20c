internal import FoundationEssentials
internal import HalcyonSystem

/// A file without a name, which the system removes when it is closed or the process dies.
final class TemporaryBodyFile: BodyFile {
    private let fileSystem: any FileSystem
    private let descriptor: FileDescriptor
    private let state = Lock((count: 0, isOpen: true))

    init(inFolder folder: String, _ fileSystem: any FileSystem) throws(FileSystemError) {
        self.fileSystem = fileSystem
        descriptor = try Self.create(inFolder: folder, fileSystem)
    }

    /// Creates a file without a name. Not every file system has such files (NFS, FUSE): there the name is taken away at
    /// once.
    private static func create(
        inFolder folder: String,
        _ fileSystem: any FileSystem
    ) throws(FileSystemError) -> FileDescriptor {
        do throws(FileSystemError) {
            return try fileSystem.createUnnamed(inFolder: folder)
        } catch .notSupported, .isFolder {
            let path = "\(folder)/halcyon-\(String(UInt64.random(in: .min ... .max), radix: 16))"
            let descriptor = try fileSystem.create(path)
            do throws(FileSystemError) {
                try fileSystem.removeFile(path)
            } catch {
                fileSystem.close(descriptor)
                // Once more: what failed may have been an interruption.
                try? fileSystem.removeFile(path)
                throw error
            }
            return descriptor
        }
    }

    var count: Int { state.withLock { $0.count } }

    func append(_ bytes: UnsafeRawBufferPointer) throws(FileSystemError) {
        try fileSystem.writeAll(descriptor, from: bytes)
        state.withLock { $0.count += bytes.count }
    }

    func copy() throws(FileSystemError) -> Data {
        try fileSystem.copy(descriptor, count: count)
    }

    func finish() throws(FileSystemError) -> Data {
        try fileSystem.bytes(of: descriptor, count: count)
    }

    func close(keepsBytes: Bool = false) {
        let wasOpen = state.withLock { state in
            defer { state.isOpen = false }
            return state.isOpen
        }
        if wasOpen { fileSystem.close(descriptor) }
    }

    deinit {
        close()
    }
}
