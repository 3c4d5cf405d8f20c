internal import FoundationEssentials
internal import Halcyon

/// A name of files with fields in it, such as `{host}/{stem}-{width}.{ext}`. Whatever the fields hold, the name stays in
/// its folder.
struct NameTemplate: Sendable {
    /// The fields that a name may have.
    enum Field: String, CaseIterable, Sendable {
        /// The place of the image in the list, from 0.
        case index
        /// The host of the URL, or "local".
        case host
        /// The path of the URL without its last part, with folders for its parts.
        case path
        /// The last part of the URL's path without its extension, or the name of the list.
        case stem
        /// The extension of the format.
        case ext
        /// The width of the file's image, in pixels.
        case width
        /// The height of the file's image, in pixels.
        case height
        /// The width that ``GetCommand/sizes`` asked for, or the file's.
        case size
        /// Eight digits that tell URL and options from all others.
        case id
    }

    private enum Part: Sendable {
        case text(String)
        case field(Field)
    }

    private let parts: [Part]
    /// The extension that the template ends with, if that names a format.
    let fileExtension: String?

    /// - Throws: ``Problem`` for a field that is not there, and for a template without a name.
    init(_ template: String) throws(Problem) {
        // The last extension alone says the format.
        let literal =
            template.hasSuffix(".{ext}")
            ? (stem: String(template.dropLast(6)), fileExtension: nil) : ImageFormatName.split(template)
        fileExtension = literal.fileExtension
        var parts: [Part] = []
        var rest = literal.stem[...]
        while let start = rest.firstIndex(of: "{") {
            guard let end = rest[start...].firstIndex(of: "}") else {
                throw Problem(description: "“{” has no “}” behind it")
            }
            let name = rest[rest.index(after: start)..<end]
            guard let field = Field(rawValue: String(name)) else {
                let names = Field.allCases.map { "{\($0.rawValue)}" }.joined(separator: ", ")
                throw Problem(description: "there is no field {\(name)}; use \(names)")
            }
            parts += [.text(String(rest[..<start])), .field(field)]
            rest = rest[rest.index(after: end)...]
        }
        parts.append(.text(String(rest)))
        self.parts = parts
        guard !literal.stem.isEmpty, !literal.stem.endsInSlash else { throw Problem(description: "it names no file") }
    }

    struct Problem: Error, CustomStringConvertible {
        let description: String
    }

    /// Whether names depend on what is known only once the image is there.
    var needsImage: Bool {
        parts.contains { part in
            guard case .field(let field) = part else { return false }
            return field == .width || field == .height || field == .ext
        }
    }

    /// The number of folders in which a file may be below the output folder; `nil` for any number.
    var depth: Int? {
        var depth = 0
        for part in parts {
            switch part {
            case .field(.path): return nil
            case .field: break
            case .text(let text): depth += text.utf8.count { $0 == UInt8(ascii: "/") }
            }
        }
        return depth
    }

    /// Returns the name, a relative path without extension.
    func name(_ value: (Field) -> String) -> String {
        let text = parts.map { part in
            switch part {
            case .text(let text): text
            case .field(.path): value(.path)
            case .field(let field): value(field).replacing("/", with: "_")
            }
        }
        return Self.safePath(text.joined())
    }

    /// Returns a relative path that leads nowhere but into folders below its own, and has no character that cannot be
    /// typed. Paths are split at the byte, as the system does.
    static func safePath(_ path: String) -> String {
        let parts = path.pathParts.filter { $0 != "." && $0 != ".." }.map { SourceArgument.safeName(String($0)) }
        return parts.isEmpty ? "image" : parts.joined(separator: "/")
    }
}

/// Names of files whose extension is that of an image format.
enum ImageFormatName {
    /// The extensions of all formats that can be read or written.
    static let extensions: [String] = {
        let formats = ImageCodecs.standard.decoders.map(\.format) + ImageCodecs.standard.encoders.map(\.format)
        var known: Set<String> = []
        return formats.map { OutputFormat($0).fileExtension }.filter { known.insert($0).inserted }
    }()

    private static let aliases = [
        "jpeg": ImageFormat.jpeg, "jpg": .jpeg, "jpe": .jpeg, "jfif": .jpeg, "tif": .tiff, "apng": .png, "svgz": .svg,
        "heif": .heic, "hif": .heic, "avifs": .avif,
    ]

    /// Returns the format that an extension names; `nil` for one of something else.
    static func format(_ fileExtension: String) -> ImageFormat? {
        let name = fileExtension.lowercased()
        if let format = aliases[name] { return format }
        return extensions.contains(name) ? ImageFormat(rawValue: name) : nil
    }

    /// Divides a path into its extension, if that names a format, and what comes before it.
    static func split(_ path: String) -> (stem: String, fileExtension: String?) {
        let start = path.utf8.lastIndex(of: UInt8(ascii: "/")).map { path.utf8.index(after: $0) } ?? path.startIndex
        guard let dot = path.utf8.lastIndex(of: UInt8(ascii: ".")), dot > start else { return (path, nil) }
        let fileExtension = String(path[path.utf8.index(after: dot)...])
        return format(fileExtension) == nil ? (path, nil) : (String(path[..<dot]), fileExtension)
    }
}
