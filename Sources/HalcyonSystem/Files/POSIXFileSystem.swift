public import FoundationEssentials
internal import Glibc

/// The file system of the machine.
public struct POSIXFileSystem: FileSystem {
    /// Makes the file system of the machine.
    public init() {}

    /// See `FileSystem.openForReading(_:)`.
    public func openForReading(_ path: String) throws(FileSystemError) -> FileDescriptor {
        // Not blocking, so that a named pipe in this place cannot hang the caller; it changes nothing for a file.
        let flags = O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK
        return FileDescriptor(rawValue: Int(try check(retry { open(path, flags) })))
    }

    /// See `FileSystem.openForStatus(_:)`.
    public func openForStatus(_ path: String) throws(FileSystemError) -> FileDescriptor {
        FileDescriptor(rawValue: Int(try check(retry { open(path, __O_PATH | O_CLOEXEC | O_NOFOLLOW) })))
    }

    /// See `FileSystem.create(_:)`.
    public func create(_ path: String) throws(FileSystemError) -> FileDescriptor {
        let flags = O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW
        return FileDescriptor(rawValue: Int(try check(retry { open(path, flags, 0o600) })))
    }

    /// See `FileSystem.createUnnamed(inFolder:)`.
    public func createUnnamed(inFolder path: String) throws(FileSystemError) -> FileDescriptor {
        // `O_TMPFILE`, which the importer does not know: a bit of its own, and `O_DIRECTORY`, so that a system without
        // it fails.
        let flags = 0o20_000_000 | O_DIRECTORY | O_RDWR | O_CLOEXEC
        return FileDescriptor(rawValue: Int(try check(retry { open(path, flags, 0o600) })))
    }

    /// See `FileSystem.openForAppending(_:)`.
    public func openForAppending(_ path: String) throws(FileSystemError) -> FileDescriptor {
        let flags = O_RDWR | O_APPEND | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK
        return FileDescriptor(rawValue: Int(try check(retry { open(path, flags) })))
    }

    /// See `FileSystem.truncate(_:to:)`.
    public func truncate(_ descriptor: FileDescriptor, to size: Int) throws(FileSystemError) {
        _ = try check(retry { ftruncate(number(descriptor), off_t(size)) })
    }

    /// See `FileSystem.map(_:size:)`.
    public func map(_ descriptor: FileDescriptor, size: Int) throws(FileSystemError) -> Data {
        guard size > 0 else { throw FileSystemError(code: Int(EINVAL)) }
        let address = mmap(nil, size, PROT_READ, MAP_PRIVATE, number(descriptor), 0)
        guard let address, address != MAP_FAILED else { throw FileSystemError(code: Int(errno)) }
        return Data(bytesNoCopy: address, count: size, deallocator: .custom { address, size in munmap(address, size) })
    }

    /// See `FileSystem.close(_:)`.
    public func close(_ descriptor: FileDescriptor) {
        _ = Glibc.close(number(descriptor))
    }

    /// See `FileSystem.read(_:into:at:)`.
    public func read(
        _ descriptor: FileDescriptor,
        into buffer: UnsafeMutableRawBufferPointer,
        at offset: Int
    ) throws(FileSystemError) -> Int {
        try check(retry { pread(number(descriptor), buffer.baseAddress, buffer.count, off_t(offset)) })
    }

    /// See `FileSystem.write(_:from:)`.
    public func write(
        _ descriptor: FileDescriptor,
        from buffer: UnsafeRawBufferPointer
    ) throws(FileSystemError) -> Int {
        try check(retry { Glibc.write(number(descriptor), buffer.baseAddress, buffer.count) })
    }

    /// See `FileSystem.synchronize(_:)`.
    public func synchronize(_ descriptor: FileDescriptor) throws(FileSystemError) {
        _ = try check(retry { fdatasync(number(descriptor)) })
    }

    /// See `FileSystem.synchronizeFolder(_:)`.
    public func synchronizeFolder(_ path: String) throws(FileSystemError) {
        let folder = try check(retry { open(path, O_RDONLY | O_CLOEXEC | O_DIRECTORY) })
        defer { _ = Glibc.close(folder) }
        _ = try check(retry { fsync(folder) })
    }

    /// See `FileSystem.lock(_:waits:)`.
    public func lock(_ descriptor: FileDescriptor, waits: Bool) throws(FileSystemError) -> Bool {
        let result = retry { flock(number(descriptor), waits ? LOCK_EX : LOCK_EX | LOCK_NB) }
        if result != 0, errno == EWOULDBLOCK { return false }
        _ = try check(result)
        return true
    }

    /// See `FileSystem.status(of:)`.
    public func status(of descriptor: FileDescriptor) throws(FileSystemError) -> FileStatus {
        var status = stat()
        _ = try check(fstat(number(descriptor), &status))
        return FileStatus(status)
    }

    /// See `FileSystem.status(at:)`.
    public func status(at path: String) throws(FileSystemError) -> FileStatus {
        var status = stat()
        _ = try check(lstat(path, &status))
        return FileStatus(status)
    }

    /// See `FileSystem.rename(_:to:)`.
    public func rename(_ path: String, to newPath: String) throws(FileSystemError) {
        _ = try check(Glibc.rename(path, newPath))
    }

    /// See `FileSystem.removeFile(_:)`.
    public func removeFile(_ path: String) throws(FileSystemError) {
        _ = try check(unlink(path))
    }

    /// See `FileSystem.createFolder(_:)`.
    public func createFolder(_ path: String) throws(FileSystemError) {
        _ = try check(mkdir(path, 0o700))
    }

    /// See `FileSystem.removeFolder(_:)`.
    public func removeFolder(_ path: String) throws(FileSystemError) {
        _ = try check(rmdir(path))
    }

    /// See `FileSystem.names(inFolder:)`.
    public func names(inFolder path: String) throws(FileSystemError) -> [String] {
        guard let folder = opendir(path) else { throw FileSystemError(code: Int(errno)) }
        defer { closedir(folder) }
        var names: [String] = []
        while true {
            errno = 0
            guard let entry = readdir(folder) else {
                if errno != 0 { throw FileSystemError(code: Int(errno)) }
                return names
            }
            let name = withUnsafeBytes(of: entry.pointee.d_name) { bytes in
                String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name != ".", name != ".." { names.append(name) }
        }
    }

    /// See `FileSystem.freeBytes(at:)`.
    public func freeBytes(at path: String) throws(FileSystemError) -> Int {
        var status = statvfs()
        _ = try check(statvfs(path, &status))
        let (bytes, overflows) = Int(clamping: status.f_bavail).multipliedReportingOverflow(
            by: Int(clamping: status.f_frsize)
        )
        return overflows ? .max : bytes
    }

    private func number(_ descriptor: FileDescriptor) -> Int32 {
        Int32(truncatingIfNeeded: descriptor.rawValue)
    }

    private func check<Result: SignedInteger>(_ result: Result) throws(FileSystemError) -> Result {
        if result < 0 { throw FileSystemError(code: Int(errno)) }
        return result
    }

    /// Calls again while a signal interrupts.
    private func retry<Result: SignedInteger>(_ call: () -> Result) -> Result {
        while true {
            let result = call()
            if result >= 0 || errno != EINTR { return result }
        }
    }
}

extension FileStatus {
    fileprivate init(_ status: stat) {
        let kind: Kind
        switch status.st_mode & S_IFMT {
        case S_IFREG: kind = .file
        case S_IFDIR: kind = .folder
        default: kind = .other
        }
        let seconds = Double(status.st_mtim.tv_sec) + Double(status.st_mtim.tv_nsec) / 1e9
        self.init(
            kind: kind,
            size: Int(status.st_size),
            linkCount: Int(status.st_nlink),
            inode: UInt64(status.st_ino),
            device: UInt64(status.st_dev),
            modifiedAt: Date(timeIntervalSince1970: seconds),
            owner: status.st_uid,
            permissions: UInt16(truncatingIfNeeded: status.st_mode & 0o7777)
        )
    }
}
