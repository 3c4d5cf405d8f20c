public import FoundationEssentials
public import HalcyonSystem

/// A provider of the bytes inside a `data:` URL (RFC 2397, as browsers read it: WHATWG Fetch, "data: URL processor").
public struct DataURL: ImageDataProvider, TextImageDataProvider {
    /// The text of the URL.
    public let cacheKey: String

    /// A provider for the text of a URL. The text is checked when the bytes are read.
    public init(_ url: String) {
        cacheKey = url
    }

    /// Returns the decoded bytes.
    ///
    /// - Throws: ``DataURLError``.
    public func data() async throws -> Data {
        try decoded()
    }

    var text: String { cacheKey }

    /// Returns the decoded bytes without suspending.
    ///
    /// - Throws: ``DataURLError``.
    public func decoded() throws(DataURLError) -> Data {
        try DataURLReader.standard.body(of: Array(cacheKey.utf8))
    }
}

/// A provider of the bytes that a text in Base64 stands for (RFC 4648, section 4).
///
/// The text is read as browsers read it: ASCII whitespace is skipped, and the padding at the end may be left out.
/// Anything else is an error of the load, not of the initializer. ``DataURL`` reads the text of a `data:` URL.
public struct Base64ImageDataProvider: ImageDataProvider, TextImageDataProvider {
    /// The text.
    public let text: String
    /// The name of the image in caches.
    public let cacheKey: String

    /// A provider of the bytes of a text.
    ///
    /// - Parameters:
    ///   - text: The text, without the beginning of a `data:` URL.
    ///   - cacheKey: The name of the image in caches. Default: a SHA-256 digest of the text, so that the same image with
    ///     other line breaks has another name.
    public init(_ text: String, cacheKey: String? = nil) {
        self.text = text
        self.cacheKey = cacheKey ?? "base64:\(SHA256.hexadecimal(of: Array(text.utf8)))"
    }

    /// Returns the decoded bytes.
    ///
    /// - Throws: ``Base64Error``.
    public func data() async throws -> Data {
        try decoded()
    }

    func decoded() throws -> Data {
        try Base64.data(of: Array(text.utf8))
    }
}
