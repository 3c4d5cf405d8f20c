internal import FoundationEssentials
internal import HalcyonStore
internal import HalcyonSystem

/// A file system that a program makes full, or failing, and sound again.
final class FailingFileSystem: FileSystem {
    private let base = POSIXFileSystem()
    private let state = Lock(DiskState.healthy)

    func set(_ newState: DiskState) {
        state.withLock { $0 = newState }
    }

    private func checkReading() throws(FileSystemError) {
        if state.withLock({ $0 == .failing }) { throw .inputOutput }
    }

    private func checkWriting() throws(FileSystemError) {
        switch state.withLock({ $0 }) {
        case .healthy: return
        case .full: throw .noSpace
        case .failing: throw .inputOutput
        }
    }

    func openForReading(_ path: String) throws(FileSystemError) -> FileDescriptor {
        try checkReading()
        return try base.openForReading(path)
    }

    func openForStatus(_ path: String) throws(FileSystemError) -> FileDescriptor {
        try base.openForStatus(path)
    }

    func create(_ path: String) throws(FileSystemError) -> FileDescriptor {
        try checkWriting()
        return try base.create(path)
    }

    func createUnnamed(inFolder path: String) throws(FileSystemError) -> FileDescriptor {
        try checkWriting()
        return try base.createUnnamed(inFolder: path)
    }

    func openForAppending(_ path: String) throws(FileSystemError) -> FileDescriptor {
        try checkWriting()
        return try base.openForAppending(path)
    }

    func truncate(_ descriptor: FileDescriptor, to size: Int) throws(FileSystemError) {
        try checkWriting()
        try base.truncate(descriptor, to: size)
    }

    func map(_ descriptor: FileDescriptor, size: Int) throws(FileSystemError) -> Data {
        try checkReading()
        return try base.map(descriptor, size: size)
    }

    func close(_ descriptor: FileDescriptor) {
        base.close(descriptor)
    }

    func read(
        _ descriptor: FileDescriptor,
        into buffer: UnsafeMutableRawBufferPointer,
        at offset: Int
    ) throws(FileSystemError) -> Int {
        try checkReading()
        return try base.read(descriptor, into: buffer, at: offset)
    }

    func write(_ descriptor: FileDescriptor, from buffer: UnsafeRawBufferPointer) throws(FileSystemError) -> Int {
        try checkWriting()
        return try base.write(descriptor, from: buffer)
    }

    func synchronize(_ descriptor: FileDescriptor) throws(FileSystemError) {
        try checkWriting()
        try base.synchronize(descriptor)
    }

    func synchronizeFolder(_ path: String) throws(FileSystemError) {
        try checkWriting()
        try base.synchronizeFolder(path)
    }

    func lock(_ descriptor: FileDescriptor, waits: Bool) throws(FileSystemError) -> Bool {
        try base.lock(descriptor, waits: waits)
    }

    func status(of descriptor: FileDescriptor) throws(FileSystemError) -> FileStatus {
        try checkReading()
        return try base.status(of: descriptor)
    }

    func status(at path: String) throws(FileSystemError) -> FileStatus {
        try checkReading()
        return try base.status(at: path)
    }

    func rename(_ path: String, to newPath: String) throws(FileSystemError) {
        try checkWriting()
        try base.rename(path, to: newPath)
    }

    func removeFile(_ path: String) throws(FileSystemError) {
        if state.withLock({ $0 == .failing }) { throw .inputOutput }
        try base.removeFile(path)
    }

    func createFolder(_ path: String) throws(FileSystemError) {
        try checkWriting()
        try base.createFolder(path)
    }

    func removeFolder(_ path: String) throws(FileSystemError) {
        try base.removeFolder(path)
    }

    func names(inFolder path: String) throws(FileSystemError) -> [String] {
        try checkReading()
        return try base.names(inFolder: path)
    }

    func freeBytes(at path: String) throws(FileSystemError) -> Int {
        try base.freeBytes(at: path)
    }
}
