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
