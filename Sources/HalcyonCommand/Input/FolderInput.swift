internal import ArgumentParser
internal import FoundationEssentials
internal import Glibc
internal import Halcyon
internal import HalcyonSystem

/// The images of folders.
enum FolderInput {
    /// Returns the images that are named, and in place of a folder those in it and below, by name. Their names are their
    /// paths from there. Folders that cannot be read are items with a problem.
    ///
    /// - Parameter output: A folder whose files are results, and left out.
    /// - Throws: `ValidationError` for a folder without images, and for that of the results.
    static func items(_ texts: [String], without output: String) throws -> [ListItem] {
        var items: [ListItem] = []
        for text in texts {
            guard FileOutput.isFolder(text) else {
                items.append(ListItem(index: items.count, argument: SourceArgument(text: text)))
                continue
            }
            guard !FileOutput.isSameFile(text, output) else {
                throw ValidationError(
                    "“\(text)” is the folder of the results, too. Name another one for them, such as one in it, or name the images: \(text.endsInSlash ? text : text + "/")*.png"
                )
            }
            let walk = FolderWalk(of: text.endsInSlash ? text : text + "/", without: output)
            guard !walk.files.isEmpty else { throw ValidationError("There is no image in the folder “\(text)”.") }
            for file in walk.files {
                items.append(
                    ListItem(
                        index: items.count,
                        argument: SourceArgument(text: file.path),
                        name: file.name,
                        problem: file.problem
                    )
                )
            }
        }
        return items
    }
}

/// Finds the files below a folder whose extensions or first bytes are those of images, and that are not hidden. Names are bytes, as they
/// are to the system. Each folder is entered once, however many links lead to it, and by a link only if by no other way.
private struct FolderWalk {
    struct File {
        /// The path, as a text for all paths (see ``FilePath``).
        let path: String
        /// The path from the root, in which what is not UTF-8 is replaced.
        let name: String
        /// Why a folder could not be read.
        var problem: String?
    }

    private struct Folder: Hashable {
        let device: dev_t
        let node: ino_t
    }

    private let root: [UInt8]
    private var entered: Set<Folder> = []
    private var links: [[UInt8]] = []
    private(set) var files: [File] = []

    /// Walks a folder, whose path ends in a slash, but for another one below it.
    init(of root: String, without output: String) {
        self.root = FilePath.bytes(of: root)
        if let output = Self.folder(output) { entered.insert(output) }
        enter([])
        var next = 0
        while next < links.count {
            enter(links[next])
            next += 1
        }
    }

    /// - Parameter folder: The path from the root, empty or with a slash at its end.
    private mutating func enter(_ folder: [UInt8]) {
        let path = FilePath.text(of: root + folder)
        guard let identity = Self.folder(path), entered.insert(identity).inserted else { return }
        let (names, code) = Self.names(in: path)
        for name in names.sorted(by: { $0.lexicographicallyPrecedes($1) }) where name.first != UInt8(ascii: ".") {
            let relative = folder + name
            let path = FilePath.text(of: root + relative)
            let (found, code) = (Self.folder(path), errno)
            if found != nil {
                let subfolder = relative + [UInt8(ascii: "/")]
                if Self.isLink(path) { links.append(subfolder) } else { enter(subfolder) }
            } else if ImageFormatName.split(String(decoding: name, as: UTF8.self)).fileExtension != nil
                || Self.saysNothing(name) && Self.beginsAsImage(path)
            {
                add(path, relative)
            } else if code == EACCES {
                // It may be a folder.
                add(path, relative, code: code)
            }
        }
        if code != 0 { add(path, folder, code: code) }
    }

    private mutating func add(_ path: String, _ relative: [UInt8], code: Int32 = 0) {
        let problem = code == 0 ? nil : "it cannot be read: \(String(cString: strerror(code)))"
        files.append(File(path: path, name: String(decoding: relative, as: UTF8.self), problem: problem))
    }

    /// Returns the names in a folder, and the `errno` if it could not be read to its end.
    private static func names(in folder: String) -> (names: [[UInt8]], code: Int32) {
        guard let stream = FilePath.withCString(folder, { opendir($0) }) else { return ([], errno) }
        defer { closedir(stream) }
        var names: [[UInt8]] = []
        while true {
            errno = 0
            guard let entry = readdir(stream) else { return (names, errno) }
            names.append(withUnsafeBytes(of: &entry.pointee.d_name) { Array($0.prefix { $0 != 0 }) })
        }
    }

    /// Returns the folder that a path or link leads to; `nil` if it leads to none, or for a reason in `errno`.
    private static func folder(_ path: String) -> Folder? {
        var status = stat()
        errno = 0
        guard FilePath.withCString(path, { stat($0, &status) }) == 0, status.st_mode & S_IFMT == S_IFDIR else {
            return nil
        }
        return Folder(device: status.st_dev, node: status.st_ino)
    }

    /// Returns whether a name says nothing of the file's format: what is behind its last point is nothing, a number, or no
    /// extension, such as the end of a URL.
    private static func saysNothing(_ name: [UInt8]) -> Bool {
        guard let point = name.lastIndex(of: UInt8(ascii: ".")) else { return true }
        let end = String(decoding: name[(point + 1)...], as: UTF8.self)
        return !end.hasSuffix("~") && (!end.allSatisfy { $0.isLetter || $0.isNumber } || end.allSatisfy(\.isNumber))
    }

    /// Returns whether a file begins as those of a format do, such as one that a browser or `wget` named by its URL.
    private static func beginsAsImage(_ path: String) -> Bool {
        var status = stat()
        guard FilePath.withCString(path, { stat($0, &status) }) == 0, status.st_mode & S_IFMT == S_IFREG else {
            return false
        }
        let descriptor = FilePath.withCString(path) { Glibc.open($0, O_RDONLY | O_CLOEXEC | O_NONBLOCK) }
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: 4_096)
        let count = read(descriptor, &bytes, bytes.count)
        return count > 0 && (try? ImageCodecs.standard.decoder(for: Data(bytes.prefix(count)))) != nil
    }

    private static func isLink(_ path: String) -> Bool {
        var status = stat()
        return FilePath.withCString(path) { lstat($0, &status) } == 0 && status.st_mode & S_IFMT == S_IFLNK
    }
}
