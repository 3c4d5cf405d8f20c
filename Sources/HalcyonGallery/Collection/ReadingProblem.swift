internal import HalcyonSystem

/// Why something that a person named adds no image.
enum ReadingProblem: Equatable {
    /// A folder, or a list of links, in which there are none.
    case noImages(String)
    /// A folder, or a list of links, that cannot be read.
    case unreadable(String)
    /// A text that looks like a link.
    case notALink(String)

    /// The reason in a sentence.
    var message: String {
        switch self {
        case .noImages(let path): "There are no images in “\(Self.name(of: path))”"
        case .unreadable(let path): "“\(Self.name(of: path))” cannot be read"
        case .notALink(let text): "“\(text.prefix(60))” is not a link"
        }
    }

    private static func name(of path: String) -> Substring {
        let path = FilePath.shownText(path)
        return path.split(separator: "/", omittingEmptySubsequences: true).last ?? path[...]
    }
}
