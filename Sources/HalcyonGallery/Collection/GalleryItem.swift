#if GTK
internal import FoundationEssentials
internal import Halcyon
internal import HalcyonGTK

/// An image of the collection.
final class GalleryItem: Sendable {
    let source: Source
    /// The name of the file, or the last part of the URL.
    let name: String
    /// The folder, or the server.
    let place: String
    /// The path of the file; `nil` for a link.
    let path: String?
    /// The text that a search looks into.
    let searchText: String

    private init(_ source: Source, name: String, place: String, path: String? = nil) {
        self.source = source
        self.path = path
        self.name = name
        self.place = place
        searchText = "\(place)/\(name)".lowercased()
    }

    /// The image in a file.
    convenience init(file path: String) {
        let parts = path.split(separator: "/", omittingEmptySubsequences: true)
        let folder = parts.dropLast().joined(separator: "/")
        self.init(
            .file(path),
            name: parts.last.map(String.init) ?? path,
            place: path.utf8.first == UInt8(ascii: "/") ? "/" + folder : folder,
            path: path
        )
    }

    /// The image at a URL; `nil` for text that is none.
    convenience init?(link: String) {
        if link.prefix(5).lowercased() == "data:" {
            self.init(.dataURL(link), name: "data:…", place: "")
            return
        }
        guard let url = URL(string: link), let scheme = url.scheme?.lowercased() else { return nil }
        if scheme == "file" {
            self.init(file: url.path(percentEncoded: false))
        } else {
            // The load of another scheme than the web's fails, which is said in its place.
            let name = url.lastPathComponent
            let host = url.host() ?? ""
            self.init(.url(url), name: name.isEmpty || name == "/" ? host : name, place: host)
        }
    }
}

extension GalleryItem {
    /// The size of a cell's image, in points.
    static let thumbnailSize = PixelSize(176, 144)

    /// Returns the request for the image of a cell: the first frame, at a size that is the same for all, so that other
    /// views find it in memory.
    ///
    /// - Parameters:
    ///   - scale: The number of pixels of a point.
    ///   - fadesIn: Whether the image fades in. Default: `false`.
    func thumbnailRequest(scale: Int, fadesIn: Bool = false) -> ImageRequest {
        ImageRequest(
            source,
            options: [
                .targetSize(
                    .pixels(width: Self.thumbnailSize.width * scale, height: Self.thumbnailSize.height * scale)
                ),
                .animation(.firstFrame), .cacheOriginalImage,
                .transition(fadesIn ? .fade(.milliseconds(150)) : .none),
            ]
        )
    }

    /// Returns whether all words occur in the name or the place.
    ///
    /// - Parameter words: In lower case.
    func matches(_ words: [Substring]) -> Bool {
        words.allSatisfy { searchText.contains($0) }
    }
}
#endif
