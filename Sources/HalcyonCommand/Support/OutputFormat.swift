internal import Halcyon

/// A format that can be written, as a person names it.
struct OutputFormat: Sendable, Hashable {
    let format: ImageFormat

    /// Finds a format by its name or file extension; `nil` if no encoder here writes it.
    init?(name: String) {
        guard let format = ImageFormatName.format(name), ImageCodecs.standard.canEncode(format) else { return nil }
        self.format = format
    }

    /// Finds a format by the extension of a path.
    init?(path: String) {
        let name = path.pathParts.last ?? ""
        guard let dot = name.lastIndex(of: "."), dot != name.startIndex else { return nil }
        self.init(name: String(name[name.index(after: dot)...]))
    }

    init(_ format: ImageFormat) {
        self.format = format
    }

    /// The file extension: "jpg", "png", …
    var fileExtension: String { format == .jpeg ? "jpg" : format.rawValue }

    /// The names of all formats that can be written.
    static var allNames: [String] { ImageCodecs.standard.encoders.map(\.format.rawValue).sorted() }

    /// ``allNames`` in a sentence.
    static var names: String { allNames.joined(separator: ", ") }
}
