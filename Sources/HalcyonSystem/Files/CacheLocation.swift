internal import Glibc

/// The location of caches for which no folder is given.
package struct CacheLocation: Sendable, Hashable {
    /// The folder of all caches of this user; an absolute path.
    package let root: String
    /// The folder of the caches of all programs of this user (`$XDG_CACHE_HOME` or `.cache`); an absolute path, `nil`
    /// for a user without a home.
    package let userCaches: String?
    /// A Boolean value that indicates whether other users may create things where the root lies, so that it is checked
    /// before each use.
    package let isShared: Bool

    /// The folder of this process's user: `$XDG_CACHE_HOME/halcyon`; else `.cache/halcyon` in `$HOME`, or in the home
    /// folder that the user database names (XDG Base Directory Specification 0.8; paths that are not absolute are
    /// ignored). A user without a home has `/tmp/halcyon-NUMBER`.
    package init() {
        self.init(
            environment: { name in getenv(name).map { String(cString: $0) } },
            home: Self.homeOfUser(),
            user: geteuid(),
            temporaryFolder: "/tmp"
        )
    }

    /// The same from given parts.
    ///
    /// - Parameters:
    ///   - environment: the value of a variable.
    ///   - home: the home folder that the user database names.
    ///   - user: the number of the user.
    ///   - temporaryFolder: where a user without a home has a folder.
    package init(
        environment: (String) -> String?,
        home: @autoclosure () -> String?,
        user: UInt32,
        temporaryFolder: String
    ) {
        func folder(_ path: String?) -> String? { path.flatMap { $0.utf8.starts(with: "/".utf8) ? $0 : nil } }
        let cache =
            folder(environment("XDG_CACHE_HOME"))
            ?? (folder(environment("HOME")) ?? folder(home())).map { $0 + "/.cache" }
        isShared = cache == nil
        userCaches = cache
        root = cache.map { $0 + "/halcyon" } ?? "\(temporaryFolder)/halcyon-\(user)"
    }

    /// Returns the home folder of the effective user in the user database; nil if it names none that exists, as for
    /// many services.
    package static func homeOfUser() -> String? {
        var entry = passwd()
        var found: UnsafeMutablePointer<passwd>?
        var buffer = [CChar](repeating: 0, count: 1_024)
        while true {
            let code = getpwuid_r(geteuid(), &entry, &buffer, buffer.count, &found)
            if code == ERANGE, buffer.count < 1 << 20 {
                buffer = [CChar](repeating: 0, count: 2 * buffer.count)
                continue
            }
            guard code == 0, found != nil, let folder = entry.pw_dir else { return nil }
            var status = stat()
            guard stat(folder, &status) == 0, status.st_mode & S_IFMT == S_IFDIR, status.st_uid == geteuid() else {
                return nil
            }
            return String(cString: folder)
        }
    }

    /// Returns the folder called `name`. A slash in the name, and a name of dots alone, are replaced, so that it cannot
    /// lead elsewhere.
    package func folder(named name: String) -> String {
        let isSafe = !name.isEmpty && !name.utf8.allSatisfy { $0 == UInt8(ascii: ".") }
        let cleaned = name.map { $0 == "/" || $0 == "\0" ? "_" : $0 }
        return "\(root)/\(isSafe ? String(cleaned) : "_")"
    }

    /// Makes sure that a folder which lies below the root is this user's alone, and creates the root if need be. Does
    /// nothing about other folders.
    ///
    /// In a shared folder any user may have put a folder or a link in its place. A folder that is the user's own, and
    /// that no one else may write, stays so: its parent has the sticky bit.
    ///
    /// - Throws: ``FileSystemError/notPermitted`` if the root is anything else.
    package func prepare(_ path: String, user: UInt32 = geteuid(), _ fileSystem: any FileSystem) throws(FileSystemError)
    {
        guard isShared, path.hasPrefix(root + "/") else { return }
        do throws(FileSystemError) {
            try fileSystem.createFolder(root)
        } catch .exists {
            // Checked below, as a folder that was just created.
        }
        let status = try fileSystem.status(at: root)
        let parent = try fileSystem.status(at: String(root[..<(root.lastIndex(of: "/") ?? root.endIndex)]))
        guard status.kind == .folder, status.owner == user, (status.permissions ?? 0) & 0o077 == 0,
            parent.kind == .folder,
            (parent.permissions ?? 0) & 0o022 == 0 || (parent.permissions ?? 0) & 0o1000 != 0
        else { throw .notPermitted }
    }
}
