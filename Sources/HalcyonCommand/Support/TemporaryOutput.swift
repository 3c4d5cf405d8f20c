internal import Glibc
internal import HalcyonSystem

/// The files that are being written under temporary names. They are listed here, so that a process that ends without
/// waiting for its work leaves none of them. Each is locked (`flock`) while it is written, so that another process leaves it
/// alone, also for as long as the writer is stopped.
enum TemporaryOutput {
    private static let paths = Lock<Set<String>>([])

    private static let namePrefix = ".halcyon-writing-"

    /// A temporary name: 16 hexadecimal digits behind the prefix.
    static func name(_ number: UInt64) -> String { namePrefix + number.hexadecimalDigits }

    /// The temporary name for a file that is named, by which the next run for it finds what a killed one has left.
    private static func name(for file: String) -> String {
        let start = file.utf8.lastIndex(of: UInt8(ascii: "/")).map(file.utf8.index(after:)) ?? file.startIndex
        return name(Array(file.utf8[start...]).withUnsafeBytes { Checksum.hash(of: $0) })
    }

    /// Makes a file with a new name in a folder. Its permissions are those of a file that any program makes: the system
    /// takes out what the process's umask, or the folder's default access list, forbids. The umask is never read here,
    /// as that takes setting it, and another thread's file would get the permissions of that moment.
    ///
    /// - Parameter file: The path of the file that it is for, whose name leads to the first one that is tried. Default: none.
    /// - Returns: Its path, and a descriptor for reading and writing; `nil` if it cannot be made, for the reason in
    ///   `errno`.
    static func create(in folder: String, for file: String? = nil) -> (path: String, descriptor: Int32)? {
        var name = file.map(name(for:))
        while true {
            let path = "\(folder)/\(name ?? self.name(.random(in: .min ... .max)))"
            name = nil
            // Under the lock, so that the file is either known when the process ends, or not made any more.
            let (descriptor, code) = paths.withLock { paths in
                let descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o666)
                if descriptor >= 0 { paths.insert(path) }
                return (descriptor, errno)
            }
            if descriptor >= 0 {
                // Where the file system has no locks, no process takes it for one that is left over.
                flock(descriptor, LOCK_EX | LOCK_NB)
                if isFile(descriptor, at: path) { return (path, descriptor) }
                // Another process has taken it for one in the moment before.
                forget(path)
                close(descriptor)
                continue
            }
            guard code == EEXIST || code == EINTR else {
                errno = code
                return nil
            }
            if let file { removeLeftover(of: file) }
        }
    }

    /// Gives a file its final name. Its temporary one may be another process's from then on, and is not removed any more.
    ///
    /// - Returns: Whether that is done; if not, the reason is in `errno`.
    static func rename(_ path: String, to file: String) -> Bool {
        paths.withLock { paths in
            guard Glibc.rename(path, file) == 0 else { return false }
            paths.remove(path)
            return true
        }
    }

    /// Removes a file from the list when it has its final name, or was removed.
    static func forget(_ path: String) {
        paths.withLock { _ = $0.remove(path) }
    }

    /// The age from which a file is left over: writing one takes seconds.
    static let leftoverAge = 600

    /// Removes a file if it was left by a process that was killed while it wrote.
    ///
    /// - Parameter age: The seconds since its last change from which it is, such as ``leftoverAge``.
    static func removeLeftover(_ name: String, in folder: String, age: Int) {
        // No other name is taken for one, also none of a result, which has an extension.
        guard name.hasPrefix(namePrefix), let number = UInt64(name.dropFirst(namePrefix.count), radix: 16),
            name == self.name(number)
        else { return }
        let path = folder.endsInSlash ? folder + name : "\(folder)/\(name)"
        var status = stat()
        // The last change of any kind: what another program's file got in an exchange of names is recent.
        guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_uid == geteuid(),
            time(nil) - status.st_ctim.tv_sec >= age
        else { return }
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard descriptor >= 0 else { return }
        defer { close(descriptor) }
        // Until then, its writer may have ended and another have made a file of this name.
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0, isFile(descriptor, at: path) else { return }
        unlink(path)
    }

    private static func isFile(_ descriptor: Int32, at path: String) -> Bool {
        var (opened, named) = (stat(), stat())
        return fstat(descriptor, &opened) == 0 && lstat(path, &named) == 0 && opened.st_ino == named.st_ino
            && opened.st_dev == named.st_dev
    }

    /// Removes what a killed run was writing for a file that is named, whenever that was: no other program's file has such
    /// a name.
    static func removeLeftover(of file: String) {
        removeLeftover(name(for: file), in: file.parentFolder, age: 0)
    }

    /// Removes all files, and ends the process. No other file is made in between.
    static func exitRemovingAll(_ code: Int32) -> Never {
        paths.withLock { paths in
            for path in paths { unlink(path) }
            _exit(code)
        }
    }
}
