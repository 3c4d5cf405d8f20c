internal import Glibc
internal import Halcyon

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
            let call = try function("fsetxattr", as: SetAttribute.self)
            let bytes = Array(value.utf8)
            try check(call(descriptor, name, bytes, bytes.count, 0))
        },
        attribute: { path, name throws(FileSystemError) in
            let call = try function("lgetxattr", as: GetAttribute.self)
            var bytes = [UInt8](repeating: 0, count: longestAttribute)
            let count = try check(call(path, name, &bytes, bytes.count))
            return String(decoding: bytes.prefix(count), as: UTF8.self)
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

    /// More bytes than any attribute has that is read here, but for URLs of other programs. A longer one is an error.
    private static let longestAttribute = 4_096

    // The types of fsetxattr(2), lgetxattr(2) and renameat2(2), which are not in Swift's module of glibc.
    private typealias SetAttribute =
        @convention(c) (Int32, UnsafePointer<CChar>, UnsafeRawPointer, Int, Int32) -> Int32
    private typealias GetAttribute =
        @convention(c) (UnsafePointer<CChar>, UnsafePointer<CChar>, UnsafeMutableRawPointer, Int) -> Int
    private typealias Rename =
        @convention(c) (Int32, UnsafePointer<CChar>, Int32, UnsafePointer<CChar>, UInt32) -> Int32

    /// Calls `renameat2`: the flags 1 and 2 are `RENAME_NOREPLACE` and `RENAME_EXCHANGE` of linux/fs.h.
    private static func rename(_ path: String, _ newPath: String, flags: UInt32) throws(FileSystemError) {
        let call = try function("renameat2", as: Rename.self)
        // AT_FDCWD of fcntl.h.
        try check(call(-100, path, -100, newPath, flags))
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
