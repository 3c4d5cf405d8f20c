internal import FoundationEssentials
internal import HalcyonCodecs
internal import HalcyonRaster

/// The text of a document, inflated where it is compressed, in UTF-8 where it is in UTF-16, and without entities of its
/// own.
enum SVGDocument {
    /// The longest text, in bytes. Real drawings reach some 20 MB; librsvg takes about ten times as much memory.
    static let maximumByteCount = 64 << 20

    /// The whole text.
    ///
    /// - Parameter isReadWhereCut: Whether of compressed text that is cut short, what there is is read.
    /// - Throws: ``CodecError/truncated(_:)``, ``CodecError/corrupt(_:reason:)``, ``CodecError/limitExceeded(_:_:)``,
    ///   ``CodecError/unsupported(_:reason:)`` for an encoding that it declares.
    static func text(
        of data: Data,
        limits: DecodeLimits,
        isReadWhereCut: Bool = false
    ) throws(CodecError) -> Data {
        guard !data.isEmpty else {
            throw .empty
        }
        let maximum = min(maximumByteCount, limits.memory)
        guard GzipText.isCompressed(data) else {
            guard data.count <= maximum else {
                throw .limitExceeded(.svg, .memory(data.count, maximum: maximum))
            }
            return try plain(data, maximum)
        }
        switch GzipText.inflate(data, maximumByteCount: maximum) {
        case .complete(let text): return try plain(text, maximum)
        case .partial(let text, isCutShort: true):
            guard isReadWhereCut, !text.isEmpty else { throw .truncated(.svg) }
            return try plain(text, maximum)
        // One byte more would be too many; how many there are is not known.
        case .partial(_, isCutShort: false): throw .limitExceeded(.svg, .memory(maximum + 1, maximum: maximum))
        case .damaged: throw .corrupt(.svg, reason: "its compression")
        case .outOfMemory(let byteCount): throw .bitmap(.outOfMemory(byteCount: byteCount))
        }
    }

    /// The elements of a document, looked through and changed, and what it takes to draw it.
    ///
    /// - Parameters:
    ///   - isClosedWhereCut: Whether a document that ends inside of an element is closed there.
    ///   - depth: How many drawings this one is in.
    static func markup(
        of text: Data,
        limits: DecodeLimits,
        isClosedWhereCut: Bool,
        depth: Int = 0
    ) throws(CodecError) -> (SVGMarkup, SVGDemands) {
        var markup = try SVGMarkup(
            SVGEmbeddedImages.withStatedTypes(text),
            limits: limits,
            isClosedWhereCut: isClosedWhereCut
        )
        var demands = try SVGDemands(&markup)
        var isCutShort = false
        try SVGEmbeddedImages.replaceDrawings(
            in: &markup,
            limits: limits,
            depth: depth,
            isDamageRefused: !isClosedWhereCut
        ) { text throws(CodecError) in
            let (inner, innerDemands) = try Self.markup(
                of: text,
                limits: limits,
                isClosedWhereCut: isClosedWhereCut,
                depth: depth + 1
            )
            let size = (try? SVGRootElement(text)).flatMap { SVGSize($0) }
            demands.add(innerDemands, size?.pixels ?? PixelSize(0, 0))
            isCutShort = isCutShort || inner.isCutShort
            return inner.text
        }
        markup.isCutShort = markup.isCutShort || isCutShort
        return (markup, demands)
    }

    /// As much of the beginning as there is, for reading the root element.
    static func beginning(of data: Data) throws(CodecError) -> Data {
        guard !data.isEmpty else {
            throw .empty
        }
        guard GzipText.isCompressed(data) else {
            let beginning = data.prefix(beginningByteCount)
            return UTF16Text.utf8(beginning) ?? beginning
        }
        return switch GzipText.inflate(data, maximumByteCount: beginningByteCount) {
        case .complete(let text), .partial(let text, _): UTF16Text.utf8(text) ?? text
        case .damaged: throw .corrupt(.svg, reason: "its compression")
        case .outOfMemory(let byteCount): throw .bitmap(.outOfMemory(byteCount: byteCount))
        }
    }

    /// The text in an encoding that agrees with ASCII, in which it is searched for what librsvg is not to see.
    private static func plain(_ text: Data, _ maximum: Int) throws(CodecError) -> Data {
        var plain = text
        if let converted = UTF16Text.utf8(text) {
            guard converted.count <= maximum else {
                throw .limitExceeded(.svg, .memory(converted.count, maximum: maximum))
            }
            plain = withoutDeclaration(converted)
        }
        // libxml2 would take it for UTF-16 or UTF-32 without a mark.
        guard !plain.contains(0) else {
            throw .corrupt(.svg, reason: "a zero byte")
        }
        try SVGEncoding.check(plain)
        return try SVGEntities.expanded(plain, maximumByteCount: maximum)
    }

    /// The declaration would name an encoding that the text no longer has.
    private static func withoutDeclaration(_ text: Data) -> Data {
        guard text.starts(with: Data("<?xml".utf8)), let end = text.firstRange(of: Data("?>".utf8)) else {
            return text
        }
        return Data(text[end.upperBound...])
    }

    /// Editors put licences and whole palettes of entities before the root element.
    static let beginningByteCount = 1 << 20
}
