#if GTK
internal import CGTK
internal import Glibc
internal import HalcyonGTK

/// The names in one folder, in the order in which file managers list them. Hidden ones are left out.
struct FolderContents {
    private(set) var files: [String] = []
    private(set) var folders: [String] = []

    /// `nil` if the folder cannot be read.
    ///
    /// - Parameters:
    ///   - path: The path of the folder.
    ///   - limit: The greatest number of names that are read.
    init?(of path: String, limit: Int) {
        guard let folder = opendir(path) else { return nil }
        defer { closedir(folder) }
        var count = 0
        while count < limit, let entry = readdir(folder) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) { name in
                name.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            guard name.utf8.first != UInt8(ascii: ".") else { continue }
            count += 1
            switch FileKind(of: path + "/" + name, followsLinks: false) {
            case .folder: folders.append(name)
            case .file where ImageFileName.isImage(name): files.append(name)
            case .link where ImageFileName.isImage(name): files.append(name)
            case .file, .link, .other: break
            }
        }
        files = Self.sorted(files)
        folders = Self.sorted(folders)
    }

    /// Sorts names so that "image 2" stands before "image 10".
    private static func sorted(_ names: [String]) -> [String] {
        names.map { name in (key: takeString(g_utf8_collate_key_for_filename(name, -1)), name: name) }
            .sorted { $0.key < $1.key }
            .map(\.name)
    }
}

/// What a path leads to.
enum FileKind {
    case file, folder, link, other

    /// - Parameter followsLinks: Whether the kind is that of what a symbolic link leads to.
    init(of path: String, followsLinks: Bool) {
        var status = stat()
        guard (followsLinks ? stat(path, &status) : lstat(path, &status)) == 0 else {
            self = .other
            return
        }
        switch status.st_mode & S_IFMT {
        case S_IFREG: self = .file
        case S_IFDIR: self = .folder
        case S_IFLNK: self = .link
        default: self = .other
        }
    }
}
#endif
