public import FoundationEssentials

extension Source {
    /// The image that a text in Base64 stands for; see ``Base64ImageDataProvider``. It is kept in memory only.
    ///
    /// - Parameters:
    ///   - text: The text, without the beginning of a `data:` URL.
    ///   - cacheKey: The name of the image in caches. Default: a digest of the text.
    public static func base64(_ text: String, cacheKey: String? = nil) -> Source {
        .provider(Base64ImageDataProvider(text, cacheKey: cacheKey))
    }

    /// An image whose bytes a closure returns; see ``ImageDataProvider/data()``.
    ///
    /// ```swift
    /// let source = Source.closure(cacheKey: "page-12") { try await archive.bytes(ofPage: 12) }
    /// ```
    ///
    /// - Parameters:
    ///   - cacheKey: The name of the image in caches. The closures of two sources with the same name are taken to return
    ///     the same image.
    ///   - load: Returns the bytes.
    public static func closure(
        cacheKey: String,
        _ load: @escaping @Sendable () async throws -> Data
    ) -> Source {
        .provider(ClosureImageDataProvider(cacheKey: cacheKey, load))
    }

    /// An image whose bytes come piece by piece; see ``StreamingImageDataProvider``.
    ///
    /// - Parameters:
    ///   - cacheKey: The name of the image in caches. The closures of two sources with the same name and type are taken
    ///     to return the same image.
    ///   - expectedByteCount: The number of bytes of all pieces together. Default: not known.
    ///   - chunks: Begins to supply the bytes.
    public static func stream<Chunks: AsyncSequence>(
        cacheKey: String,
        expectedByteCount: Int? = nil,
        _ chunks: @escaping @Sendable () async throws -> Chunks
    ) -> Source where Chunks.Element == Data {
        .provider(
            ClosureStreamProvider(cacheKey: cacheKey, expectedByteCount: expectedByteCount, start: chunks)
        )
    }
}
