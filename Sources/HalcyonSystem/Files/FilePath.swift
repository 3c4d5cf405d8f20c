package import FoundationEssentials
internal import Glibc

/// Paths as text, where the system has bytes.
///
/// A path whose bytes are not UTF-8 is written as a `file:` URL, with escapes in their place. That is absolute, so that no
/// other path is meant by it.
package enum FilePath {
    private static let scheme = "file://"

    /// Returns the text of a path.
    package static func text(of path: [UInt8]) -> String {
        if let text = String(validating: path, as: UTF8.self) { return isURL(text) ? "./" + text : text }
        let escaped = PercentEncoding.encoded(absolute(path)) { byte in
            byte < 0x80 && byte > 0x20 && !"%?#\"<>\\^`{|}".utf8.contains(byte) && byte != 0x7F
        }
        return scheme + escaped
    }

    /// Returns the text of the path of a `file:` URL; `nil` for a URL that is none, names a file of another computer (RFC 8089,
    /// section 2), or has a zero in it, which no path has.
    package static func text(of url: URL) -> String? {
        let host = url.host(percentEncoded: true)?.lowercased() ?? ""
        let path = PercentEncoding.decodedBytes(Array(url.path(percentEncoded: true).utf8)[...])
        guard url.isFileURL, host.isEmpty || host == "localhost", !path.contains(0) else { return nil }
        return text(of: path)
    }

    /// Returns the bytes of a path.
    package static func bytes(of text: String) -> [UInt8] {
        guard isURL(text) else { return Array(text.utf8) }
        return PercentEncoding.decodedBytes(Array(text.utf8.dropFirst(scheme.utf8.count))[...])
    }

    /// Returns a text for people, in which what is not UTF-8 is replaced by U+FFFD.
    package static func shownText(_ text: String) -> String {
        isURL(text) ? String(decoding: bytes(of: text), as: UTF8.self) : text
    }

    /// Calls a closure with a path as the system takes it.
    package static func withCString<Result>(_ text: String, _ body: (UnsafePointer<CChar>) -> Result) -> Result {
        let isURL = isURL(text)
        let bytes = isURL ? bytes(of: text) : []
        // No file has a zero in its name, and the part before it is another one's.
        guard !bytes.contains(0), !text.utf8.contains(0) else { return body("") }
        guard isURL else { return text.withCString(body) }
        return (bytes + [0]).withUnsafeBufferPointer { bytes in
            bytes.withMemoryRebound(to: CChar.self) { characters in
                characters.baseAddress.map(body) ?? body("")
            }
        }
    }

    /// The arguments of the program, without its name. Those whose bytes are not UTF-8, and that are no options, are paths.
    package static var arguments: [String] {
        (1..<max(1, Int(CommandLine.argc))).compactMap { index in
            CommandLine.unsafeArgv[index].map { argument in
                let bytes = Array(UnsafeRawBufferPointer(start: argument, count: strlen(argument)))
                if let text = String(validating: bytes, as: UTF8.self) { return text }
                let isOption = bytes.first == UInt8(ascii: "-")
                return isOption ? String(decoding: bytes, as: UTF8.self) : text(of: bytes)
            }
        }
    }

    /// Returns whether a text stands for a path that is not UTF-8.
    package static func isURL(_ text: String) -> Bool {
        text.utf8.starts(with: scheme.utf8) && text.utf8.dropFirst(scheme.utf8.count).first == UInt8(ascii: "/")
    }

    /// Returns the same path, independent of the working folder, without parts that lead nowhere. A part ".." may lead
    /// through a link, and stays, and so does a slash at the end.
    package static func absolute(_ text: String) -> String {
        guard !isURL(text) else { return text }
        let slash = UInt8(ascii: "/")
        let path = absolute(Array(text.utf8))
        let parts = path.split(separator: slash).filter { $0 != [UInt8(ascii: ".")] }
        let end = path.last == slash && !parts.isEmpty ? [slash] : []
        return self.text(of: [slash] + parts.joined(separator: [slash]) + end)
    }

    /// Returns ``absolute(_:)`` for calls that take a path as it is: the path itself if the working folder's is not UTF-8.
    package static func absoluteForSystem(_ text: String) -> String {
        let path = absolute(text)
        return isURL(path) ? text : path
    }

    private static func absolute(_ path: [UInt8]) -> [UInt8] {
        guard path.first != UInt8(ascii: "/"), let folder = getcwd(nil, 0) else { return path }
        defer { free(folder) }
        return Array(UnsafeRawBufferPointer(start: folder, count: strlen(folder))) + [UInt8(ascii: "/")] + path
    }
}
