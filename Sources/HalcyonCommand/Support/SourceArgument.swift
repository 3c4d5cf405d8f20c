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
        var path = Substring(text)
        if let range = path.range(of: "://") { path = path[range.upperBound...] }
        path = path.prefix { $0 != "?" && $0 != "#" }
        let last = path.split(separator: "/").last.map(String.init) ?? "image"
        let base = last.lastIndex(of: ".").map { $0 == last.startIndex ? last : String(last[..<$0]) } ?? last
        let decoded = base.removingPercentEncoding ?? base
        let safe = String(decoded.map { $0 == "/" || $0 == "\0" ? "_" : $0 })
        return safe.isEmpty || safe == "." || safe == ".." ? "image" : String(safe.prefix(120))
    }

    /// A short form for tables.
    func abbreviated(to width: Int) -> String {
        let name = text.lowercased().hasPrefix("data:") ? "data:…" : text.split(separator: "/").last.map(String.init) ?? text
        return name.count <= width ? name : String(name.prefix(width - 1)) + "…"
    }
}
