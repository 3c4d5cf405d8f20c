internal import FoundationEssentials
internal import Halcyon

/// An image as a person names it: a URL or a path.
struct SourceArgument: Sendable, Hashable {
    /// The text as given.
    let text: String

    /// What the text means. Text without a scheme is a path.
    var source: Source {
        let lowercased = text.prefix(8).lowercased()
        if lowercased.hasPrefix("data:") { return .dataURL(text) }
        let hasScheme = text.contains("://") || lowercased.hasPrefix("file:")
        guard hasScheme, let url = URL(string: text) else { return .file(text) }
        return .url(url)
    }

    /// The last part of the path, without its extension, as a name for files made of this image.
    var fileName: String {
        if text.lowercased().hasPrefix("data:") { return "data" }
        var path = text[...]
        let isURL = text.contains("://")
        if isURL {
            path = path.prefix { $0 != "?" && $0 != "#" }
            // What is left is the host, if there is no path.
            let components = path.split(separator: "/").dropFirst(2)
            path = components.last ?? "image"
        }
        let last = path.split(separator: "/").last.map(String.init) ?? "image"
        let decoded = isURL ? URL(string: "file:///\(last)")?.lastPathComponent ?? last : last
        let dot = decoded.lastIndex(of: ".")
        let base = dot.map { $0 == decoded.startIndex ? decoded : String(decoded[..<$0]) } ?? decoded
        let safe = String(base.map { $0 == "/" || $0 == "\0" ? "_" : $0 })
        return safe.isEmpty || safe == "." || safe == ".." ? "image" : String(safe.prefix(120))
    }

    /// A short form for tables.
    func abbreviated(to width: Int) -> String {
        let name =
            text.lowercased().hasPrefix("data:") ? "data:…" : text.split(separator: "/").last.map(String.init) ?? text
        return name.count <= width ? name : String(name.prefix(width - 1)) + "…"
    }
}
