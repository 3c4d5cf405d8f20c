internal import FoundationEssentials
internal import Halcyon

/// An image as a person names it: a URL or a path.
struct SourceArgument: Sendable {
    /// The text as given.
    let text: String

    /// What the text means. Text without a scheme is a path.
    ///
    /// - Throws: ``ImageError`` of the stage ``ImageError/Stage/source`` for what begins like a URL and is none.
    func source() throws(ImageError) -> Source {
        if isData { return .dataURL(text) }
        guard isURL else { return .file(text) }
        guard let url = URL(string: text) else {
            throw ImageError(stage: .source, reason: .invalidURL(text), source: text)
        }
        return .url(url)
    }

    private var isData: Bool { text.prefix(5).lowercased() == "data:" }
    private var isURL: Bool { text.contains("://") || text.prefix(5).lowercased() == "file:" }

    /// The last part of the path, without its extension, as a name for files made of this image.
    var fileName: String {
        if isData { return "data" }
        var path = text[...]
        if isURL {
            path = path.prefix { $0 != "?" && $0 != "#" }
            // "https:" and the host are no names.
            path = path.contains("://") ? path.split(separator: "/").dropFirst(2).last ?? "image" : path
        }
        let last = path.split(separator: "/").last.map(String.init) ?? "image"
        let decoded = isURL ? Self.percentDecoded(last) : last
        let dot = decoded.lastIndex(of: ".")
        let base = dot.map { $0 == decoded.startIndex ? decoded : String(decoded[..<$0]) } ?? decoded
        // Nothing that ends a path's part, nothing that cannot be typed.
        let safe = String(base.map { $0 == "/" || $0.isControl ? "_" : $0 }).prefix(fittingUTF8: 200)
        return safe.isEmpty || safe == "." || safe == ".." ? "image" : safe
    }

    /// `URL` is what FoundationEssentials has for this; the slash makes the text a path of one part.
    private static func percentDecoded(_ part: String) -> String {
        guard let url = URL(string: "file:///" + part) else { return part }
        return String(url.path(percentEncoded: false).dropFirst())
    }

    /// A short form for tables: the last part of the path.
    var shortName: String {
        isData ? "data:…" : (text.split(separator: "/").last.map(String.init) ?? text).withoutControls
    }
}

extension SourceArgument: Hashable {
    /// Whether the bytes are equal: text that only looks the same names different files and different URLs.
    static func == (left: SourceArgument, right: SourceArgument) -> Bool {
        left.text.utf8.elementsEqual(right.text.utf8)
    }

    func hash(into hasher: inout Hasher) {
        hasher.combine(text)
    }
}

extension Character {
    fileprivate var isControl: Bool { unicodeScalars.contains { $0.properties.generalCategory == .control } }
}

extension String {
    /// As many characters from the beginning as have room in this many bytes.
    fileprivate func prefix(fittingUTF8 byteCount: Int) -> String {
        var end = startIndex
        while end < endIndex, utf8.distance(from: startIndex, to: index(after: end)) <= byteCount {
            end = index(after: end)
        }
        return String(self[..<end])
    }
}
