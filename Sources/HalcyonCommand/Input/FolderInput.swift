internal import ArgumentParser
internal import Glibc
internal import Halcyon

/// The images of folders.
enum FolderInput {
    /// Folders below a folder, for one that links to itself.
    private static let deepest = 64

    /// Returns the images that are named, and in place of a folder those in it and below, by name. Their names are their
    /// paths from there.
    ///
    /// - Parameter output: A folder whose files are results, and left out.
    /// - Throws: `ValidationError` for a folder without images.
    static func items(_ texts: [String], without output: String) throws -> [ListItem] {
        var items: [ListItem] = []
        for text in texts {
            guard FileOutput.isFolder(text) else {
                items.append(ListItem(index: items.count, argument: SourceArgument(text: text)))
                continue
            }
            let count = items.count
            let folder = text.endsInSlash ? text : text + "/"
            for name in names(in: folder, below: "", without: output, depth: deepest) {
                items.append(
                    ListItem(
                        index: items.count,
                        argument: SourceArgument(text: folder + name),
                        name: ImageFormatName.split(name).stem
                    )
                )
            }
            guard items.count > count else { throw ValidationError("There is no image in the folder “\(text)”.") }
        }
        return items
    }

    /// Files whose extensions are those of images, and that are not hidden.
    private static func names(in root: String, below path: String, without output: String, depth: Int) -> [String] {
        let folder = root + path
        guard depth > 0, !FileOutput.isSameFile(folder, output) else { return [] }
        var names: [String] = []
        _ = FolderNames(of: folder) { names.append($0) }
        return names.filter { !$0.hasPrefix(".") }.sorted().flatMap { name -> [String] in
            if FileOutput.isFolder(folder + name) {
                return self.names(in: root, below: "\(path)\(name)/", without: output, depth: depth - 1)
            }
            return ImageFormatName.split(name).fileExtension == nil ? [] : [path + name]
        }
    }
}
