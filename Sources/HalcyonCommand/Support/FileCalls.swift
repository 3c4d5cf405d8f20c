internal import Glibc
internal import Halcyon
internal import HalcyonSystem

/// The calls to the file system that the names and origins of results depend on, each as small as the system's own, so
/// that each can be made to fail, or something else to happen before it.
struct FileCalls: Sendable {
    /// Sets an extended attribute of an open file (`fsetxattr`).
    var setAttribute: @Sendable (_ descriptor: Int32, _ name: String, _ value: String) throws(FileSystemError) -> Void
    /// Returns an extended attribute of the file at a path, or of the link itself (`lgetxattr`).
    var attribute: @Sendable (_ path: String, _ name: String) throws(FileSystemError) -> String
    /// Gives a file a name that is free; fails with ``FileSystemError/exists`` if it is not (`RENAME_NOREPLACE`).
    var renameExclusively: @Sendable (_ path: String, _ newPath: String) throws(FileSystemError) -> Void
    /// Gives a file a further name, which is free; fails with ``FileSystemError/exists`` if it is not (`link`).
    var link: @Sendable (_ path: String, _ newPath: String) throws(FileSystemError) -> Void
    /// Lets two files change their names, so that none of them is without one at any time (`RENAME_EXCHANGE`).
    var exchange: @Sendable (_ path: String, _ other: String) throws(FileSystemError) -> Void

    /// The calls of the machine.
    static let system = FileCalls(
        setAttribute: { descriptor, name, value throws(FileSystemError) in
            try setAttribute(name, to: Array(value.utf8), of: descriptor)
        },
        attribute: { path, name throws(FileSystemError) in
            String(decoding: try attribute(name, of: path, room: longestAttribute), as: UTF8.self)
        },
        renameExclusively: { path, newPath throws(FileSystemError) in
            try rename(path, newPath, flags: 1)
        },
        link: { path, newPath throws(FileSystemError) in
            try check(Glibc.link(path, newPath))
        },
        exchange: { path, other throws(FileSystemError) in
            try rename(path, other, flags: 2)
        }
    )

    /// Returns whether a call that has failed, as `errno` says, may be made again: it was interrupted, or another process has
    /// made the descriptor non-blocking. Then this blocks until that is ready.
    ///
    /// - Parameter events: `POLLIN` or `POLLOUT`.
    static func mayRepeat(on descriptor: Int32, for events: Int32) -> Bool {
        guard errno == EAGAIN else { return errno == EINTR }
        var ready = pollfd(fd: descriptor, events: Int16(events), revents: 0)
        return poll(&ready, 1, -1) >= 0 || errno == EINTR
    }

    /// More bytes than any attribute has that is read here, but for URLs of other programs. A longer one is an error.
    private static let longestAttribute = 4_096

    // The types of fsetxattr(2), lgetxattr(2), fremovexattr(2) and renameat2(2), which are not in Swift's module of glibc.
    private typealias SetAttribute =
        @convention(c) (Int32, UnsafePointer<CChar>, UnsafeRawPointer, Int, Int32) -> Int32
    private typealias GetAttribute =
        @convention(c) (UnsafePointer<CChar>, UnsafePointer<CChar>, UnsafeMutableRawPointer, Int) -> Int
    private typealias RemoveAttribute = @convention(c) (Int32, UnsafePointer<CChar>) -> Int32
    private typealias Rename =
        @convention(c) (Int32, UnsafePointer<CChar>, Int32, UnsafePointer<CChar>, UInt32) -> Int32

    /// Calls `renameat2`: the flags 1 and 2 are `RENAME_NOREPLACE` and `RENAME_EXCHANGE` of linux/fs.h.
    private static func rename(_ path: String, _ newPath: String, flags: UInt32) throws(FileSystemError) {
        let call = try function("renameat2", as: Rename.self)
        // AT_FDCWD of fcntl.h.
        try check(call(-100, path, -100, newPath, flags))
    }

    /// Calls `lgetxattr`, with room for a number of bytes.
    fileprivate static func attribute(_ name: String, of path: String, room: Int) throws(FileSystemError) -> [UInt8] {
        let call = try function("lgetxattr", as: GetAttribute.self)
        var bytes = [UInt8](repeating: 0, count: room)
        let count = try check(FilePath.withCString(path) { call($0, name, &bytes, bytes.count) })
        return Array(bytes.prefix(count))
    }

    /// Calls `fsetxattr`.
    fileprivate static func setAttribute(
        _ name: String,
        to bytes: [UInt8],
        of descriptor: Int32
    ) throws(FileSystemError) {
        let call = try function("fsetxattr", as: SetAttribute.self)
        try check(call(descriptor, name, bytes, bytes.count, 0))
    }

    /// Calls `fremovexattr`.
    fileprivate static func removeAttribute(_ name: String, of descriptor: Int32) throws(FileSystemError) {
        let call = try function("fremovexattr", as: RemoveAttribute.self)
        try check(call(descriptor, name))
    }

    /// Returns a function of the C library; one without it is like a file system that has no such feature.
    private static func function<Function>(
        _ name: String,
        as type: Function.Type
    ) throws(FileSystemError) -> Function {
        guard let symbol = dlsym(nil, name) else { throw .notSupported }
        // The types above are those of the manual.
        return unsafeBitCast(symbol, to: type)
    }

    @discardableResult
    private static func check<Result: SignedInteger>(_ result: Result) throws(FileSystemError) -> Result {
        if result < 0 { throw FileSystemError(code: Int(errno)) }
        return result
    }
}

/// The POSIX access control list of a file: what named users and groups may do with it.
struct AccessControlList {
    /// As the system gives it (linux/posix_acl_xattr.h): a version of 32 bits, then entries of a kind and permissions of 16
    /// bits each, and a user or group of 32.
    private var bytes: [UInt8]

    private static let name = "system.posix_acl_access"
    private static let versionByteCount = 4
    private static let entryByteCount = 8
    private static let kindOfOwningGroup: UInt8 = 0x04

    /// The list of the file at a path; `nil` for one that has none, or whose file system knows none.
    init?(of path: String) throws(FileSystemError) {
        do {
            bytes = try FileCalls.attribute(Self.name, of: path, room: 65_536)
        } catch {
            guard Self.isAbsence(error) else { throw error }
            return nil
        }
    }

    /// Takes from the group of the file what it may do.
    mutating func removeGroup() {
        for entry in stride(from: Self.versionByteCount, to: bytes.count, by: Self.entryByteCount)
        where entry + Self.entryByteCount <= bytes.count && bytes[entry] == Self.kindOfOwningGroup {
            (bytes[entry + 2], bytes[entry + 3]) = (0, 0)
        }
    }

    /// Gives an open file a list, or takes from it the one that it has of its folder.
    ///
    /// - Returns: Whether the file was changed.
    static func set(_ list: AccessControlList?, of descriptor: Int32) throws(FileSystemError) -> Bool {
        do {
            if let list {
                try FileCalls.setAttribute(name, to: list.bytes, of: descriptor)
            } else {
                try FileCalls.removeAttribute(name, of: descriptor)
            }
            return true
        } catch {
            guard list == nil, isAbsence(error) else { throw error }
            return false
        }
    }

    private static func isAbsence(_ error: FileSystemError) -> Bool {
        error == .notSupported || error == .notFound || error.code == Int(ENODATA)
    }
}
