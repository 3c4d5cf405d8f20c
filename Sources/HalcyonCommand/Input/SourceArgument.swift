internal import FoundationEssentials
internal import Glibc
internal import Halcyon
internal import HalcyonSystem

/// An image as a person names it: a URL or a path.
struct SourceArgument: Sendable {
    /// The text as given; that of a URL without blanks around it.
    let text: String
    /// The text that tells this image from all others, in whichever folder the command runs and however it is spelled.
    let identity: String
    /// The path of a file, as a text for all paths (see ``FilePath``); `nil` for other images.
    let path: String?
    /// The URL as it is written; `nil` for other text, and for text that begins like a URL and is none.
    private let url: URL?

    /// Whether the same text is the same image in the next run: the standard input is another one's then.
    var isLasting: Bool { text != Self.standardInput }

    /// The text that stands for the standard input.
    static let standardInput = "-"

    /// The paths of the standard input, which another call has another image under, too.
    private static let pathsOfStandardInput = ["/dev/stdin", "/dev/fd/0", "/proc/self/fd/0"]

    init(text: String) {
        let text = Self.pathsOfStandardInput.contains(text) ? Self.standardInput : text
        let trimmed = URL.withoutBlanks(text)
        let (isData, isURL) = (Self.isData(trimmed), Self.isURL(trimmed))
        self.text = isData || isURL ? trimmed : text
        url = isURL && !isData ? URL(written: trimmed) : nil
        path = isURL ? url.flatMap { FilePath.text(of: $0) } : isData ? nil : text
        // That of the standard input is no path.
        identity =
            self.text == Self.standardInput
            ? Self.standardInput
            : path.map(FilePath.absolute) ?? url?.normalized.absoluteString
                ?? trimmed
    }

    /// Returns the source that the text stands for. Text without a scheme is a path.
    ///
    /// - Throws: ``ImageError`` of the stage ``ImageError/Stage/source`` for text that begins like a URL and is none.
    func source() throws(ImageError) -> Source {
        if isData { return .dataURL(text) }
        guard isURL else {
            // Another reason, such as a folder that may not be read, is the file's own.
            guard isLikeURL, !FileOutput.isThere(text), errno == ENOENT else { return .file(text) }
            let reason = "\(String(cString: strerror(ENOENT))); a URL begins with https:// or http://"
            throw ImageError(stage: .load, reason: .file(path: text, reason: reason), source: text)
        }
        guard let url else {
            throw ImageError(stage: .source, reason: .invalidURL(text), source: text)
        }
        return .url(url)
    }

    /// Whether a path begins as a URL without its scheme does: "www.example.org/a.png".
    private var isLikeURL: Bool {
        guard let host = text.utf8.firstIndex(of: UInt8(ascii: "/")).map({ text[..<$0] }), host.first != "." else {
            return false
        }
        return host.contains { $0 == "." || $0 == ":" }
    }

    private var isData: Bool { Self.isData(text) }
    private var isURL: Bool { Self.isURL(text) }

    private static func isData(_ text: String) -> Bool { text.prefix(5).lowercased() == "data:" }
    private static func isURL(_ text: String) -> Bool { text.contains("://") || text.prefix(5).lowercased() == "file:" }

    /// The text as it may be displayed: without the password of a URL.
    var shownText: String { text.withoutPassword }

    /// Whether this is the ``shownText`` of a URL with a password, which cannot be loaded any more.
    var lacksPassword: Bool { userAndRest?.user.hasSuffix(":…") == true }

    /// The user name and password of a URL, and the URL without them; `nil` if it has none.
    var userAndRest: (user: String, rest: String)? {
        guard let authority, let at = text.utf8[authority].lastIndex(of: UInt8(ascii: "@")) else { return nil }
        let rest = text[..<authority.lowerBound] + text[text.utf8.index(after: at)...]
        return (String(text[authority.lowerBound..<at]), String(rest))
    }

    /// An http or https URL without user name, password, query and fragment; `nil` for other sources.
    var publicURL: String? {
        let scheme = text.prefix(8).lowercased()
        guard scheme.hasPrefix("http://") || scheme == "https://" else { return nil }
        let text = userAndRest?.rest ?? text
        return String(text[..<(text.utf8.firstIndex { "?#".utf8.contains($0) } ?? text.endIndex)])
    }

    /// Where a URL names user, host and port.
    private var authority: Range<String.Index>? {
        guard isURL, !isData, let scheme = text.utf8.firstRange(of: "://".utf8) else { return nil }
        let end = text.utf8[scheme.upperBound...].firstIndex { "/?#\\".utf8.contains($0) }
        return scheme.upperBound..<(end ?? text.endIndex)
    }

    /// The last part of the path, without its extension, as a name for files made of this image.
    ///
    /// The name is taken apart byte by byte, as the system does with a path, and not by `Character`: a slash and a
    /// joining mark behind it are one of those, which is not equal to a slash.
    var fileName: String {
        if isData { return "data" }
        if text == Self.standardInput { return "stdin" }
        let last = lastPart ?? "image"
        let decoded = isURL ? Self.percentDecoded(last) : last
        let dot = decoded.utf8.lastIndex(of: UInt8(ascii: "."))
        return Self.safeName(dot.map { $0 == decoded.startIndex ? decoded : String(decoded[..<$0]) } ?? decoded)
    }

    /// Returns a name for a file: no byte that ends a path's part, no character that cannot be typed, and room for digits
    /// and an extension.
    static func safeName(_ text: String) -> String {
        let safe = String.UnicodeScalarView(text.unicodeScalars.map { $0 == "/" || $0.isControl ? "_" : $0 })
        let name = String(safe).prefix(fittingUTF8: 200)
        return name.isEmpty || name == "." || name == ".." ? "image" : name
    }

    /// The extension of the last part of the path, if it names an image format.
    var fileExtension: String? {
        guard !isData, let last = lastPart else { return nil }
        return ImageFormatName.split(isURL ? Self.percentDecoded(last) : last).fileExtension
    }

    /// The host of a URL.
    var host: String? { path == nil ? url?.host(percentEncoded: false) : nil }

    /// A server's name and port.
    var hostAndPort: String? { path == nil ? url?.hostAndPort : nil }

    /// The path of a URL without its last part, decoded; empty for a path and where it is not UTF-8.
    var urlFolder: String {
        guard path == nil, let url else { return "" }
        let path = url.path(percentEncoded: true)
        guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return "" }
        return Self.percentDecoded(String(path[..<slash]))
    }

    /// The part behind the last slash of the path; `nil` for a URL of a host alone.
    private var lastPart: String? {
        guard isURL else { return text.pathParts.last.map(String.init) }
        // One image has one name, however it is spelled.
        let text = url?.normalized.absoluteString ?? text
        let end = text.utf8.firstIndex { $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "#") } ?? text.endIndex
        let path = String(text[..<end])
        // "https:" and the host are no names.
        return path.pathParts.dropFirst(path.contains("://") ? 2 : 0).last.map(String.init)
    }

    /// Returns the text without escapes; empty where that is not UTF-8.
    private static func percentDecoded(_ part: String) -> String {
        String(validating: PercentEncoding.decodedBytes(Array(part.utf8)[...]), as: UTF8.self) ?? ""
    }

    /// A short form for tables: the last part of the path.
    var shortName: String {
        isData ? "data:…" : (shownText.pathParts.last.map(String.init) ?? shownText).withoutControls
    }
}

extension SourceArgument: Hashable {
    /// Returns whether both are the same image. Bytes are compared: text that only looks the same names different files and
    /// different URLs.
    static func == (left: SourceArgument, right: SourceArgument) -> Bool {
        left.identity.utf8.elementsEqual(right.identity.utf8)
    }

    func hash(into hasher: inout Hasher) {
        hasher.combine(identity)
    }
}

extension Unicode.Scalar {
    fileprivate var isControl: Bool { properties.generalCategory == .control }
}

extension String {
    /// Returns as many scalars from the beginning as have room in this many bytes.
    fileprivate func prefix(fittingUTF8 byteCount: Int) -> String {
        var room = byteCount
        let fitting = unicodeScalars.prefix { scalar in
            room -= UTF8.width(scalar)
            return room >= 0
        }
        return String(fitting)
    }
}
