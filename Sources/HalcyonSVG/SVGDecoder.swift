public import FoundationEssentials
public import HalcyonCodecs
internal import HalcyonRaster

/// Draws SVG, plain or compressed, with librsvg: static drawings without scripts, without animation, and without
/// anything from outside the file. Images that it embeds count against the limits, and so does what librsvg takes for
/// elements and groups; what would take it longer than seconds is refused, and so are encodings in which that could not
/// be seen: only UTF-8, UTF-16 with a byte order mark and those that agree with ASCII are read.
///
/// With a target size, the drawing is as large as it takes to cover that size; without one, as large as it says.
/// librsvg cannot be interrupted: cancelling takes effect before and after it draws.
public struct SVGDecoder: ImageDecoder, ConfinableDecoder, LibraryCodec {
    /// cairo's bound on the sides of a surface.
    private static let maximumSideLength = 32_767

    /// A decoder.
    public init() {}

    /// ``ImageFormat/svg``.
    public var format: ImageFormat { .svg }

    package var library: CodecLibrary { .rsvg }

    package var confinement: DecoderConfinement { .drawing }

    package func prepareForWorkers() -> [String] {
        // gdk-pixbuf, which librsvg reads images with, has some formats in files of their own, which a worker cannot open.
        let images = [
            ("gif", Self.gif), ("bmp", Self.bmp), ("x-icon", Self.icon),
            ("svg+xml", Data(Self.square.utf8).base64EncodedString()),
        ]
        .map { "<image width=\"9\" height=\"9\" xlink:href=\"data:image/\($0.0);base64,\($0.1)\"/>" }
        let drawing = """
            <svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" width="9" height="9">
            <path d="M0 0h9v9z"/>\(images.joined())</svg>
            """
        _ = try? decode(Data(drawing.utf8), options: DecodeOptions(), isCancelled: { false })
        // No text, for which Pango starts a thread that stays.
        return SVGFonts.load()
    }

    /// A pixel.
    private static let gif = "R0lGODlhAQABAIAAAP8AAP///ywAAAAAAQABAAACAkQBADs="
    private static let bmp = "Qk06AAAAAAAAADYAAAAoAAAAAQAAAAEAAAABABgAAAAAAAQAAAAAAAAAAAAAAAAAAAAAAAAAAAD/AA=="
    private static let icon =
        "AAABAAEAAQEAAAAAIAAsAAAAFgAAACgAAAABAAAAAgAAAAEAIAAAAAAABAAAAMQOAADEDgAAAAAAAAAAAAAAAP//"
    private static let square =
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"1\" height=\"1\"><path d=\"M0 0h1v1z\"/></svg>"

    /// Returns whether the bytes start with an `svg` element or its document type, after comments if they end early
    /// enough.
    public func recognizes(_ prefix: Data) -> Bool {
        ImageFormat.detect(prefix) == .svg
    }

    /// Reads the root element. A document that does not state its size there is loaded as a whole.
    ///
    /// - Throws: ``CodecError/truncated(_:)`` where the bytes end before that, ``CodecError/corrupt(_:reason:)``.
    public func info(of data: Data, limits: DecodeLimits) throws(CodecError) -> ImageInfo {
        if let size = SVGSize(try SVGRootElement(try SVGDocument.beginning(of: data))) {
            return Self.info(size)
        }
        guard Self.isMeasurable(data) else {
            return Self.info(SVGSize.unknown)
        }
        let text = try SVGDocument.text(of: data, limits: limits)
        try SVGEmbeddedImages.check(text, limits: limits)
        let (markup, demands) = try SVGDocument.markup(of: text, limits: limits, isClosedWhereCut: true)
        return Self.info(demands.areSmall ? try SVGDrawing(markup.text).extent() : SVGSize.unknown)
    }

    /// Draws the document.
    public func decode(
        _ data: Data,
        options: DecodeOptions,
        isCancelled: @Sendable () -> Bool
    ) throws -> DecodedImage {
        guard options.frame == 0 else {
            throw CodecError.noSuchFrame(options.frame, frameCount: 1)
        }
        let stated = SVGSize(try SVGRootElement(try SVGDocument.beginning(of: data)))
        if let stated {
            try Self.check(stated, options)
        }
        try Self.throwIfCancelled(isCancelled)
        let isLenient = options.damage == .showsWhatIsThere
        let text = try SVGDocument.text(of: data, limits: options.limits, isReadWhereCut: isLenient)
        try SVGEmbeddedImages.check(text, limits: options.limits)
        let prepared = try Self.prepared(text, options, isLenient)
        if let stated {
            try prepared.demands.check(stated, in: Self.check(stated, options), limits: options.limits)
        }
        try Self.throwIfCancelled(isCancelled)
        let drawing = try SVGDrawing(prepared.text)
        let isMeasured = Self.isMeasurable(data) && prepared.demands.areSmall
        let size = try stated ?? (isMeasured ? drawing.extent() : SVGSize.unknown)
        let pixels = try Self.check(size, options)
        try prepared.demands.check(size, in: pixels, limits: options.limits)
        try Self.throwIfCancelled(isCancelled)
        var bitmap = try Self.transparent(pixels)
        try drawing.draw(size, into: &bitmap)
        try Self.throwIfCancelled(isCancelled)
        bitmap.isOpaque = !bitmap.containsTransparency()
        return DecodedImage(bitmap: bitmap, info: Self.info(size), isPartial: prepared.isCutShort)
    }

    /// The text that librsvg is to read. Its elements are not kept beside those of librsvg.
    private static func prepared(
        _ text: Data,
        _ options: DecodeOptions,
        _ isClosedWhereCut: Bool
    ) throws(CodecError) -> (text: Data, demands: SVGDemands, isCutShort: Bool) {
        let (markup, demands) = try SVGDocument.markup(
            of: text,
            limits: options.limits,
            isClosedWhereCut: isClosedWhereCut
        )
        return (markup.text, demands, markup.isCutShort)
    }

    /// Returns whether a drawing that does not state its size is as large as what its shapes cover: where it takes no
    /// longer to find out than to read a file. Others have the size that CSS gives what has none.
    private static func isMeasurable(_ data: Data) -> Bool {
        !GzipText.isCompressed(data) && data.count <= 1 << 18
    }

    /// The size to draw at, within the limits.
    @discardableResult
    private static func check(_ size: SVGSize, _ options: DecodeOptions) throws(CodecError) -> PixelSize {
        let pixels = options.targetSize.map { size.covering($0) } ?? size.pixels
        var limits = options.limits
        limits.sideLength = min(limits.sideLength, maximumSideLength)
        try limits.check(pixels, of: .svg)
        return pixels
    }

    private static func info(_ size: SVGSize) -> ImageInfo {
        ImageInfo(format: .svg, size: size.pixels, hasAlpha: true)
    }

    private static func transparent(_ size: PixelSize) throws(CodecError) -> Bitmap {
        do {
            return try Bitmap(size: size)
        } catch {
            throw .bitmap(error)
        }
    }

    private static func throwIfCancelled(_ isCancelled: () -> Bool) throws {
        if isCancelled() {
            throw CancellationError()
        }
    }
}
