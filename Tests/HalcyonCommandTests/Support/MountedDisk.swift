import Glibc

/// A file system of a test's own, which only the superuser may mount.
final class MountedDisk: Sendable {
    let path: String

    /// - Parameters:
    ///   - kind: "tmpfs", or "ramfs", which has no extended attributes.
    ///   - size: The size of a tmpfs, as tmpfs(5) has it.
    init?(at path: String, kind: String = "tmpfs", size: String = "64k") {
        guard geteuid() == 0, mkdir(path, 0o700) == 0,
            mount(kind, path, kind, 0, kind == "tmpfs" ? "size=\(size)" : "") == 0
        else { return nil }
        self.path = path
    }

    deinit { umount2(path, Int32(MNT_DETACH)) }

    static let isPossible: Bool = {
        var template = Array("/tmp/halcyon-mount-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { return false }
        let folder = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        defer { rmdir(folder) }
        let path = folder + "/disk"
        guard MountedDisk(at: path) != nil else {
            rmdir(path)
            return false
        }
        rmdir(path)
        return true
    }()
}
