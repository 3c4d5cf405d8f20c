internal import FoundationEssentials
internal import Glibc
internal import Halcyon
internal import ServerURLs

/// The sources that a server answers for, and how they are asked.
package struct SourceRules: Sendable, Hashable, CustomReflectable {
    /// The beginnings of URLs that are allowed, such as `https://images.example.org/photos/`; one without a path
    /// allows the whole host, and `https://*.example.org` each name below. Empty: every server of the package
    /// Internet. Default: empty.
    package var allowed: [String] = []
    /// The folder that a source without a scheme is in, as a URL with or without a slash at its end, which is allowed.
    /// Default: `nil`, such sources are refused.
    package var base: String?
    /// The folder of `local:///` sources, which is only read. Default: `nil`, such sources are refused.
    package var localRoot: String?
    /// Host names, addresses and networks that are no part of the package Internet, and may be asked all the same.
    /// Default: none.
    package var allowedAddresses: Set<String> = []
    /// Headers by the host or the beginning of the URLs that they are sent with; they may hold secrets. A host alone
    /// stands for its URLs of `https`. Default: none.
    package var headers: [String: [String: String]] = [:]

    /// The defaults.
    package init() {}

    /// A mirror with the places of headers, and not their values.
    package var customMirror: Mirror {
        Mirror(
            self,
            children: [
                "allowed": allowed, "base": base as Any, "localRoot": localRoot as Any,
                "allowedAddresses": allowedAddresses, "headers": headers.keys.sorted(),
            ]
        )
    }

    /// Checks the rules themselves.
    ///
    /// - Throws: ``SettingsError``.
    func check() throws {
        for prefix in prefixes + headers.keys.map(Self.headerPrefix) where ParsedPrefix(prefix) == nil {
            throw SettingsError(
                "“\(prefix)” is not the beginning of a URL, such as https://images.example.org/photos/."
            )
        }
        for address in allowedAddresses where !Self.isAddress(address) {
            throw SettingsError(
                "“allowed-addresses” takes names, addresses and networks such as 10.1.0.0/16, not “\(address)”."
            )
        }
        if let localRoot {
            var status = stat()
            guard stat(localRoot, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else {
                throw SettingsError("“local-root” is no folder: \(localRoot)")
            }
        }
    }

    /// Returns whether a text is a host's name, an address, or a network.
    private static func isAddress(_ text: String) -> Bool {
        func bitCount(_ address: String) -> Int? {
            var bytes = in6_addr()
            if inet_pton(AF_INET, address, &bytes) == 1 { return 32 }
            return inet_pton(AF_INET6, address, &bytes) == 1 ? 128 : nil
        }
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        if parts.count == 2, let bits = bitCount(String(parts[0])) {
            return Int(parts[1]).map { (0...bits).contains($0) } ?? false
        }
        if bitCount(text) != nil { return true }
        return text.contains { !$0.isNumber && $0 != "." }
            && text.allSatisfy { $0.isLetter || $0.isNumber || $0 == "." || $0 == "-" || $0 == "_" }
    }

    /// Returns the source that a text of a URL names.
    ///
    /// - Throws: ``SourceRefusal``.
    func source(_ text: String) throws(SourceRefusal) -> Source {
        var text = text
        if text.hasPrefix("local://") { return try localSource(text) }
        if !Self.hasScheme(text) {
            guard let folder else {
                throw SourceRefusal(status: 400, "The source has no scheme, and the server has no base.")
            }
            while text.hasPrefix("/") { text.removeFirst() }
            text = folder + text
        }
        guard let url = URL(escaping: text), let parsed = ParsedPrefix(url) else {
            let message =
                ParsedPrefix.hasDotSegments(URLCoding.percentDecodedBytes(text) ?? Array(text.utf8))
                ? "The path of the source has “.” or “..” between slashes, which is not followed."
                : "The source is no URL of a web server."
            throw SourceRefusal(status: 400, message)
        }
        guard allows(parsed) else {
            throw SourceRefusal(status: 403, "The source is none that this server answers for.")
        }
        return .url(url)
    }

    /// The base with a slash at its end.
    private var folder: String? { base.map { $0.hasSuffix("/") ? $0 : $0 + "/" } }

    /// The beginnings of URLs that are allowed, that of the base included.
    private var prefixes: [String] { allowed + (folder.map { [$0] } ?? []) }

    /// Returns whether a URL is one of the allowed ones, or of the base.
    private func allows(_ url: ParsedPrefix) -> Bool {
        allowed.isEmpty || prefixes.contains { ParsedPrefix($0).map(url.begins) ?? false }
    }

    /// Returns the headers to send with a request for a URL.
    func headers(for url: URL) -> [String: String] {
        guard let url = ParsedPrefix(url) else { return [:] }
        return headers.filter { ParsedPrefix(Self.headerPrefix($0.key)).map(url.begins) ?? false }
            .reduce(into: [:]) { $0.merge($1.value) { $1 } }
    }

    private static func headerPrefix(_ key: String) -> String { key.contains("://") ? key : "https://" + key }

    /// Returns whether a redirect may lead to a URL.
    func allows(_ url: URL) -> Bool { ParsedPrefix(url).map(allows) ?? false }

    /// Returns whether a text begins with a scheme (RFC 3986, section 3.1) and a colon.
    private static func hasScheme(_ text: String) -> Bool {
        for (place, byte) in text.utf8.enumerated() {
            switch byte {
            case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"): continue
            case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "."), UInt8(ascii: "-"):
                if place == 0 { return false }
            default: return byte == UInt8(ascii: ":") && place > 0
            }
        }
        return false
    }

    /// Returns the file of a `local:///` source. Links are followed within the root; one that leads out is refused
    /// as if there were no file.
    private func localSource(_ text: String) throws(SourceRefusal) -> Source {
        let missing = SourceRefusal(status: 404, "There is no such file.")
        guard let localRoot else { throw SourceRefusal(status: 403, "This server has no local sources.") }
        let path = text.dropFirst("local://".count)
        guard path.hasPrefix("/"), !path.utf8.contains(0), let root = Self.realPath(localRoot),
            let file = Self.realPath(localRoot + path), file.hasPrefix(root == "/" ? "/" : root + "/")
        else { throw missing }
        var status = stat()
        // No device, no pipe: reading one might never end.
        guard stat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { throw missing }
        return .file(file)
    }

    /// Returns a path without links; `nil` if there is nothing.
    private static func realPath(_ path: String) -> String? {
        guard let resolved = realpath(path, nil) else { return nil }
        defer { free(resolved) }
        return String(cString: resolved)
    }
}

/// The reason why a source is not loaded.
struct SourceRefusal: Error, Sendable, Hashable {
    /// The status of the answer.
    let status: Int
    /// A sentence for the client.
    let message: String

    init(status: Int, _ message: String) {
        self.status = status
        self.message = message
    }
}

/// A URL in the parts by which it is compared with the beginning of others: never as text, in which
/// `https://good.example.evil.example` begins with `https://good.example`. Hosts and paths are bytes, which is what
/// is sent: characters of Swift may hide the slash that another one is combined with, and are equal in several spellings.
private struct ParsedPrefix {
    let scheme: String
    let host: [UInt8]
    let port: Int
    let path: [UInt8]

    init?(_ text: String) {
        guard let url = URL(string: text) else { return nil }
        self.init(url)
    }

    init?(_ url: URL) {
        guard let parts = URLComponents(url: url, resolvingAgainstBaseURL: false),
            let scheme = parts.scheme?.lowercased(), ["http", "https"].contains(scheme),
            let host = parts.encodedHost.flatMap(URLCoding.percentDecodedBytes), !host.isEmpty, parts.user == nil,
            parts.password == nil, let path = URLCoding.percentDecodedBytes(parts.percentEncodedPath)
        else { return nil }
        self.scheme = scheme
        let bytes = host.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }
        self.host = bytes.last == UInt8(ascii: ".") ? bytes.dropLast() : bytes
        port = parts.port ?? (scheme == "https" ? 443 : 80)
        // Dot segments, spelled in any way, would lead out of an allowed folder.
        self.path = path.isEmpty ? [Self.slash] : path
        guard !Self.hasDotSegments(path), !path.contains(UInt8(ascii: "\\")) else { return nil }
    }

    private static let slash = UInt8(ascii: "/")

    /// Returns whether a path has a segment "." or "..", escaped or not.
    static func hasDotSegments(_ path: [UInt8]) -> Bool {
        path.split(separator: slash).contains { $0.elementsEqual(".".utf8) || $0.elementsEqual("..".utf8) }
    }

    func begins(with prefix: ParsedPrefix) -> Bool {
        guard scheme == prefix.scheme, port == prefix.port else { return false }
        if prefix.host.starts(with: "*.".utf8) {
            guard host.reversed().starts(with: prefix.host.dropFirst().reversed()) else { return false }
        } else if host != prefix.host {
            return false
        }
        return path.starts(with: prefix.path)
    }
}
