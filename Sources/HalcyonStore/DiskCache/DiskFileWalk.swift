/// A file of a body, by its number.
struct DiskFile {
    let number: Int64
    /// A Boolean value that indicates whether it is where bodies are, and not being written.
    let isPublished: Bool

    func path(in layout: DiskLayout) -> String {
        isPublished ? layout.body(number) : layout.incoming(number)
    }
}

/// A walk over the files of a cache's folder, one folder after another. It may pause between any two files. What the
/// cache has not named is left out.
struct DiskFileWalk {
    private enum Folder {
        case incoming
        /// A folder of level 0 or 1 has folders with names of one digit, one of level 2 has bodies.
        case bodies(path: String, level: Int)
    }

    private let layout: DiskLayout
    private var folders: [Folder]
    private var files: [DiskFile] = []

    init(_ layout: DiskLayout) {
        self.layout = layout
        folders = [.bodies(path: layout.bodies, level: 0), .incoming]
    }

    /// A Boolean value that indicates whether there is no further file.
    var isDone: Bool { folders.isEmpty && files.isEmpty }

    /// Returns the next file; nil at the end.
    ///
    /// - Throws: `FileSystemError` if a folder cannot be listed. The next call goes on with another.
    mutating func next(_ fileSystem: any FileSystem) throws(FileSystemError) -> DiskFile? {
        while files.isEmpty {
            guard let folder = folders.popLast() else { return nil }
            try list(folder, fileSystem)
        }
        return files.removeLast()
    }

    private mutating func list(_ folder: Folder, _ fileSystem: any FileSystem) throws(FileSystemError) {
        switch folder {
        case .incoming:
            let names = try names(in: layout.incoming, fileSystem)
            files = names.compactMap(DiskLayout.file).map { DiskFile(number: $0, isPublished: false) }
        case .bodies(let path, let level) where level < 2:
            let digits = try names(in: path, fileSystem).filter { $0.utf8.count == 1 }
            // A process that ends soon sees a part of the folders alone: not the same ones each time.
            folders += digits.shuffled().map { .bodies(path: "\(path)/\($0)", level: level + 1) }
        case .bodies(let path, _):
            let numbers = try names(in: path, fileSystem).compactMap(DiskLayout.file)
            // Neighbours in the index are looked for one after another.
            files = numbers.sorted().map { DiskFile(number: $0, isPublished: true) }
                .filter { $0.path(in: layout).dropLast(17) == path }
        }
    }

    /// The names in a folder; none if there is no such folder, or something else in its place.
    private func names(in path: String, _ fileSystem: any FileSystem) throws(FileSystemError) -> [String] {
        do throws(FileSystemError) {
            return try fileSystem.names(inFolder: path)
        } catch  where error == .notFound || error == .notFolder {
            return []
        }
    }
}
