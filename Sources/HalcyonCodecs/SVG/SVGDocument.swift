#if SVG
internal import FoundationEssentials

/// The text of a document, inflated where it is compressed.
enum SVGDocument {
    /// The longest text, in bytes. Real drawings reach some 20 MB; librsvg takes about ten times as much memory.
    static let maximumByteCount = 64 << 20

    /// The whole text.
    ///
    /// - Throws: ``CodecError/truncated(_:)``, ``CodecError/corrupt(_:reason:)``, ``CodecError/limitExceeded(_:_:)``.
    static func text(of data: Data, limits: DecodeLimits) throws(CodecError) -> Data {
        guard !data.isEmpty else {
            throw .empty
        }
        let maximum = min(maximumByteCount, limits.memory)
        guard GzipText.isCompressed(data) else {
            guard data.count <= maximum else {
                throw .limitExceeded(.svg, .memory(data.count, maximum: maximum))
            }
            return data
        }
        switch GzipText.inflate(data, maximumByteCount: maximum) {
        case .complete(let text): return text
        case .partial(_, isCutShort: true): throw .truncated(.svg)
        // One byte more would be too many; how many there are is not known.
        case .partial(_, isCutShort: false): throw .limitExceeded(.svg, .memory(maximum + 1, maximum: maximum))
        case .damaged: throw .corrupt(.svg, reason: "its compression")
        }
    }

    /// As much of the beginning as there is, for reading the root element.
    static func beginning(of data: Data) throws(CodecError) -> Data {
        guard !data.isEmpty else {
            throw .empty
        }
        guard GzipText.isCompressed(data) else {
            return data.prefix(beginningByteCount)
        }
        return switch GzipText.inflate(data, maximumByteCount: beginningByteCount) {
        case .complete(let text), .partial(let text, _): text
        case .damaged: throw .corrupt(.svg, reason: "its compression")
        }
    }

    /// Editors put licences and whole palettes of entities before the root element.
    private static let beginningByteCount = 1 << 20
}
#endif
