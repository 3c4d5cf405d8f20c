internal import CGTK
internal import Glibc
internal import HalcyonGTK
internal import HalcyonSystem

/// The paths of what is in one folder, in the order in which file managers list it. Hidden files are left out.
struct FolderContents {
    private(set) var files: [String] = []
    private(set) var folders: [String] = []

    /// `nil` if the folder cannot be read.
    ///
    /// - Parameters:
    ///   - path: The path of the folder.
    ///   - limit: The greatest number of names that are read.
    init?(of path: String, limit: Int) {
        guard let folder = FilePath.withCString(path, { opendir($0) }) else { return nil }
        defer { closedir(folder) }
        var prefix = FilePath.bytes(of: path)
        if prefix.last != UInt8(ascii: "/") { prefix.append(UInt8(ascii: "/")) }
        var count = 0
        while count < limit, let entry = readdir(folder) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) { Array($0.prefix { $0 != 0 }) }
            guard name.first != UInt8(ascii: ".") else { continue }
            count += 1
            let path = FilePath.text(of: prefix + name)
            switch FileKind(of: path, followsLinks: false) {
            case .folder: folders.append(path)
            case .file where ImageFileName.isImage(path): files.append(path)
            case .link where ImageFileName.isImage(path): files.append(path)
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
        let code = FilePath.withCString(path) { followsLinks ? stat($0, &status) : lstat($0, &status) }
        guard code == 0 else {
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
