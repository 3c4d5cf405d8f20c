internal import Glibc
internal import HalcyonSystem

/// A random key of 16 bytes that one user's programs on one machine share and that outlasts them.
///
/// It is kept in `$XDG_STATE_HOME/halcyon/credential-key`, or `~/.local/state/halcyon/credential-key` (XDG Base
/// Directory Specification 0.8), where the home folder is the one of the user database if the environment names none. It is
/// readable by its owner alone, and never in a cache folder, which may be copied, shared or exported. Where it can be neither
/// read nor written, each process has a key of its own.
enum InstallationSecret {
    /// Returns the key in `folder`, which is made if need be; `nil` if there can be none.
    ///
    /// Several processes that start at the same time agree on one: the file appears whole, and only where there is
    /// none.
    static func key(in folder: String) -> [UInt8]? {
        let path = folder + "/credential-key"
        if let key = read(path) { return key }
        makeFolder(folder)
        let key = random()
        let temporary = path + "." + random().map { String($0, radix: 16) }.joined()
        guard write(key, to: temporary) else { return nil }
        defer { unlink(temporary) }
        if link(temporary, path) == 0 { return key }
        if let other = read(path) { return other }
        // The file at that path is no key.
        guard errno == EEXIST, isOwnFile(path), rename(temporary, path) == 0 else { return nil }
        return read(path)
    }

    /// Returns 16 random bytes.
    static func random() -> [UInt8] {
        (0..<KeyedHash.byteCount).map { _ in UInt8.random(in: .min ... .max) }
    }

    /// Returns the folder of the key; `nil` for a user without a home.
    ///
    /// - Parameters:
    ///   - home: The home folder that the user database names.
    ///   - variable: The value of a variable of the environment.
    static func folder(home: @autoclosure () -> String?, _ variable: (String) -> String?) -> String? {
        // The specification: paths that are not absolute are ignored.
        func path(_ text: String?) -> String? { text.flatMap { $0.utf8.starts(with: "/".utf8) ? $0 : nil } }
        let state =
            path(variable("XDG_STATE_HOME"))
            ?? (path(variable("HOME")) ?? path(home())).map { $0 + "/.local/state" }
        return state.map { $0 + "/halcyon" }
    }

    private static func read(_ path: String) -> [UInt8]? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var status = stat()
        // A key that others may read or have written is no secret.
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_uid == geteuid(),
            status.st_mode & 0o077 == 0, status.st_size == KeyedHash.byteCount
        else { return nil }
        var bytes = [UInt8](repeating: 0, count: KeyedHash.byteCount)
        let count = Glibc.read(descriptor, &bytes, bytes.count)
        return count == bytes.count ? bytes : nil
    }

    private static func write(_ key: [UInt8], to path: String) -> Bool {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { return false }
        let count = Glibc.write(descriptor, key, key.count)
        let isWritten = count == key.count && fsync(descriptor) == 0
        close(descriptor)
        if !isWritten { unlink(path) }
        return isWritten
    }

    private static func isOwnFile(_ path: String) -> Bool {
        var status = stat()
        return lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG && status.st_uid == geteuid()
    }

    /// Makes a folder and its parent folders; a failure shows when a file is to be written there.
    private static func makeFolder(_ path: String) {
        guard mkdir(path, 0o700) != 0, errno == ENOENT, let slash = path.lastIndex(of: "/"), slash != path.startIndex
        else { return }
        makeFolder(String(path[..<slash]))
        mkdir(path, 0o700)
    }
}
