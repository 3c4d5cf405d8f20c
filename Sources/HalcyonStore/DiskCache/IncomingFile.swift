internal import FoundationEssentials
internal import Glibc
internal import HalcyonSystem

/// A file on its way into the cache.
///
/// Its lock is held from its creation until its entry is committed. That is how a clean, in this process or another,
/// distinguishes a file that is being written from one that a dead process left: the system drops the locks of the
/// dead, and unlike a process number, they cannot be confused with those of another process or container.
final class IncomingFile: Sendable {
    let number: Int64
    private let layout: DiskLayout
    private let fileSystem: any FileSystem
    private let descriptor: FileDescriptor
    private let state: Lock<State>

    private enum State {
        case incoming
        case published
        case kept
        case closed
    }

    init(_ layout: DiskLayout, _ fileSystem: any FileSystem) throws(FileSystemError) {
        while true {
            let number = DiskLayout.newFile()
            let path = layout.incoming(number)
            let descriptor = try Self.create(path, layout, fileSystem)
            do throws(FileSystemError) {
                // A clean may have taken it for a leftover before it was locked, and be about to remove it. It is not
                // waited for: its process may be stopped.
                guard try fileSystem.lock(descriptor, waits: false),
                    try fileSystem.status(of: descriptor).linkCount > 0
                else {
                    fileSystem.close(descriptor)
                    continue
                }
            } catch {
                fileSystem.close(descriptor)
                try? fileSystem.removeFile(path)
                throw error
            }
            self.number = number
            self.layout = layout
            self.fileSystem = fileSystem
            self.descriptor = descriptor
            state = Lock(.incoming)
            return
        }
    }

    private static func create(
        _ path: String,
        _ layout: DiskLayout,
        _ fileSystem: any FileSystem
    ) throws(FileSystemError) -> FileDescriptor {
        do throws(FileSystemError) {
            return try fileSystem.create(path)
        } catch .notFound {
            try fileSystem.createFolders(layout.incoming)
            return try fileSystem.create(path)
        }
    }

    func append(_ bytes: UnsafeRawBufferPointer) throws(FileSystemError) {
        try fileSystem.writeAll(descriptor, from: bytes)
    }

    /// Returns whether it holds exactly these bytes.
    func hasBytes(_ bytes: Data) throws(FileSystemError) -> Bool {
        var piece = [UInt8](repeating: 0, count: 65_536)
        var offset = 0
        while offset < bytes.count {
            let wanted = min(piece.count, bytes.count - offset)
            var count = 0
            var failure: FileSystemError?
            piece.withUnsafeMutableBytes { buffer in
                do throws(FileSystemError) {
                    count = try fileSystem.read(
                        descriptor,
                        into: UnsafeMutableRawBufferPointer(rebasing: buffer[..<wanted]),
                        at: offset
                    )
                } catch {
                    failure = error
                }
            }
            if let failure { throw failure }
            let isEqual = bytes.withUnsafeBytes { bytes in
                guard let start = bytes.baseAddress else { return false }
                return memcmp(start + offset, piece, count) == 0
            }
            guard count > 0, isEqual else { return false }
            offset += count
        }
        return true
    }

    /// Moves the complete file to where its entry will look for it.
    ///
    /// - Parameter folders: see to its name if it is to be on the device.
    /// - Returns: waits until its name is there, and throws what kept it from that; nil if it need not be.
    func publish(durablyBy folders: DiskFolderSync?) throws(FileSystemError) -> DiskFolderSync.Completion? {
        let isFolderNew = try rename(into: layout.bodyFolder(number))
        state.withLock { $0 = .published }
        guard let folders else { return nil }
        // After the renaming, which has no effect before there is an entry: the journal then takes file and folder at
        // once, and synchronizing the folder finds its work done.
        try fileSystem.synchronize(descriptor)
        return folders.begin(number, isNew: isFolderNew)
    }

    /// Returns whether the folder had to be made.
    private func rename(into folder: String) throws(FileSystemError) -> Bool {
        do throws(FileSystemError) {
            try fileSystem.rename(layout.incoming(number), to: layout.body(number))
            return false
        } catch .notFound {
            try fileSystem.createFolders(folder)
            try fileSystem.rename(layout.incoming(number), to: layout.body(number))
            return true
        }
    }

    /// A Boolean value that indicates whether the file is kept.
    var isKept: Bool { state.withLock { $0 == .kept } }

    /// Keeps the file: its entry is committed.
    func keep() {
        state.withLock { $0 = .kept }
    }

    /// Closes it, and removes it unless it is kept.
    func close() {
        let state = state.withLock { state in
            defer { state = .closed }
            return state
        }
        switch state {
        case .incoming: try? fileSystem.removeFile(layout.incoming(number))
        case .published: try? fileSystem.removeFile(layout.body(number))
        case .kept: break
        case .closed: return
        }
        fileSystem.close(descriptor)
    }

    deinit {
        close()
    }
}
