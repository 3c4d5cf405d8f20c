public import FoundationEssentials

/// The calls that disk caches and downloads make to the file system, each as small as the system's own, so that each
/// can be made to fail.
///
/// Paths are UTF-8 and absolute. Descriptors are not inherited by child processes. Every call may be made from any
/// thread. SQLite does its own input and output and is not part of this.
public protocol FileSystem: Sendable {
    /// Opens an existing file for reading. Does not follow a link in the last component.
    func openForReading(_ path: String) throws(FileSystemError) -> FileDescriptor

    /// Opens the file or folder that a path leads to, for ``status(of:)`` alone (`O_PATH`). Does not follow a link in
    /// the last component.
    ///
    /// Closing any other descriptor of a file drops the record locks that SQLite holds on it in this process; closing
    /// this one does not.
    func openForStatus(_ path: String) throws(FileSystemError) -> FileDescriptor

    /// Creates a file that only this user may access and opens it for reading and writing; fails with
    /// ``FileSystemError/exists`` if there is one.
    func create(_ path: String) throws(FileSystemError) -> FileDescriptor

    /// Creates a file without a name in a folder (`O_TMPFILE`), for this user alone, and opens it for reading and
    /// writing. It is gone once it is closed, or the process ends. Some file systems have no such files.
    func createUnnamed(inFolder path: String) throws(FileSystemError) -> FileDescriptor

    /// Opens an existing file for reading, and for writing at its end. Does not follow a link in the last component.
    func openForAppending(_ path: String) throws(FileSystemError) -> FileDescriptor

    /// Makes an open file `size` bytes long.
    func truncate(_ descriptor: FileDescriptor, to size: Int) throws(FileSystemError)

    /// Returns the first `size` bytes of an open file, at least one, without reading them (`mmap`, private and
    /// read-only). They outlive the descriptor. The file must have them, and keep them: to touch a byte that it has
    /// lost ends the process (SIGBUS), so this is for files that no other process can reach.
    func map(_ descriptor: FileDescriptor, size: Int) throws(FileSystemError) -> Data

    /// Closes a file. The descriptor is gone whatever happens, and an error has no meaning to a cache.
    func close(_ descriptor: FileDescriptor)

    /// Reads at most `buffer.count` bytes from `offset` and returns their number, 0 at the end of the file.
    func read(
        _ descriptor: FileDescriptor,
        into buffer: UnsafeMutableRawBufferPointer,
        at offset: Int
    ) throws(FileSystemError) -> Int

    /// Writes at the end of what was written and returns the number of bytes written, which may be fewer than given.
    func write(_ descriptor: FileDescriptor, from buffer: UnsafeRawBufferPointer) throws(FileSystemError) -> Int

    /// Waits until the file's content is on the device (`fdatasync`).
    func synchronize(_ descriptor: FileDescriptor) throws(FileSystemError)

    /// Waits until the names in a folder are on the device.
    func synchronizeFolder(_ path: String) throws(FileSystemError)

    /// Takes the exclusive advisory lock of an open file (`flock`); it ends when the file is closed or the process
    /// ends.
    ///
    /// - Returns: false if another open file holds it and `waits` is false.
    func lock(_ descriptor: FileDescriptor, waits: Bool) throws(FileSystemError) -> Bool

    /// Returns the status of an open file.
    func status(of descriptor: FileDescriptor) throws(FileSystemError) -> FileStatus

    /// Returns the status of the file or folder that a path leads to.
    func status(at path: String) throws(FileSystemError) -> FileStatus

    /// Gives a file or folder another name, in place of the file that had it.
    func rename(_ path: String, to newPath: String) throws(FileSystemError)

    /// Removes a file, or a symbolic link.
    func removeFile(_ path: String) throws(FileSystemError)

    /// Creates a folder that only this user may access; fails with ``FileSystemError/exists`` if there is something.
    func createFolder(_ path: String) throws(FileSystemError)

    /// Removes an empty folder.
    func removeFolder(_ path: String) throws(FileSystemError)

    /// Returns the names in a folder, without `.` and `..`, in no order.
    func names(inFolder path: String) throws(FileSystemError) -> [String]

    /// Returns the number of bytes that this user may still store on the device of `path`.
    func freeBytes(at path: String) throws(FileSystemError) -> Int
}
