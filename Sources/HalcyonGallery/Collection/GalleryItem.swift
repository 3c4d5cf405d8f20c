internal import FoundationEssentials
internal import Halcyon
internal import HalcyonGTK
internal import HalcyonSystem

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
        let shown = FilePath.shownText(path)
        let parts = shown.split(separator: "/", omittingEmptySubsequences: true)
        let folder = parts.dropLast().joined(separator: "/")
        self.init(
            .file(path),
            name: parts.last.map(String.init) ?? shown,
            place: shown.utf8.first == UInt8(ascii: "/") ? "/" + folder : folder,
            path: path
        )
    }

    /// The image at a URL; `nil` for text that is none.
    convenience init?(link: String) {
        let link = URL.withoutBlanks(link)
        if link.prefix(5).lowercased() == "data:" {
            self.init(.dataURL(link), name: "data:…", place: "")
            return
        }
        guard let url = URL(written: link), url.scheme != nil else { return nil }
        if let path = FilePath.text(of: url) {
            self.init(file: path)
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

    /// The request for the image of a cell: the first frame, at the size that the cell has room for.
    var cellRequest: ImageRequest {
        ImageRequest(
            source,
            options: [
                .animation(.firstFrame), .cacheOriginalImage, .transition(.fade(.milliseconds(150))),
                // A file is there before one could see that it is awaited.
                .indicator(path == nil ? .spinner : .none),
            ]
        )
    }

    /// Returns the request by which an image that a cell has shown is found in memory.
    ///
    /// - Parameter scale: The number of pixels of a point.
    func thumbnailRequest(scale: Int) -> ImageRequest {
        let size = TargetSize.pixels(
            width: Self.thumbnailSize.width * scale,
            height: Self.thumbnailSize.height * scale
        )
        // As a view asks for it.
        return cellRequest.applying([.targetSize(size), .processAllFrames])
    }

    /// Returns whether all words occur in the name or the place.
    ///
    /// - Parameter words: In lower case.
    func matches(_ words: [Substring]) -> Bool {
        words.allSatisfy { searchText.contains($0) }
    }
}
