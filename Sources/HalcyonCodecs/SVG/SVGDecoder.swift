#if SVG
public import FoundationEssentials
internal import HalcyonRaster

/// Draws SVG, plain or compressed, with librsvg: static drawings without scripts, without animation, and without
/// anything from outside the file. Images that it embeds count against the limits; references put together from
/// entities are refused, and so are encodings in which a reference could not be seen: only UTF-8, UTF-16 with a byte
/// order mark and those that agree with ASCII are read.
///
/// With a target size, the drawing is as large as it takes to cover that size; without one, as large as it says.
/// librsvg cannot be interrupted: cancelling takes effect before and after it draws.
public struct SVGDecoder: ImageDecoder {
    /// cairo's bound on the sides of a surface.
    private static let maximumSideLength = 32_767

    /// A decoder.
    public init() {}

    /// ``ImageFormat/svg``.
    public var format: ImageFormat { .svg }

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
        let text = try SVGDocument.text(of: data, limits: limits)
        try SVGEmbeddedImages.check(text, limits: limits)
        return Self.info(try SVGDrawing(text).extent())
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
        let text = try SVGDocument.text(of: data, limits: options.limits)
        try SVGEmbeddedImages.check(text, limits: options.limits)
        let drawing = try SVGDrawing(text)
        let size = try stated ?? drawing.extent()
        let pixels = try Self.check(size, options)
        try Self.throwIfCancelled(isCancelled)
        var bitmap = try Self.transparent(pixels)
        try drawing.draw(size, into: &bitmap)
        try Self.throwIfCancelled(isCancelled)
        bitmap.isOpaque = !bitmap.containsTransparency()
        return DecodedImage(bitmap: bitmap, info: Self.info(size))
    }

    /// The size to draw at, within the limits.
    @discardableResult
    private static func check(_ size: SVGSize, _ options: DecodeOptions) throws(CodecError) -> PixelSize {
        let pixels = options.targetSize.map { size.covering($0) } ?? size.pixels
        var limits = options.limits
        limits.sideLength = min(limits.sideLength, maximumSideLength)
        try limits.check(pixels, of: .svg)
        // Groups, masks and filters are drawn to surfaces of their own.
        let byteCount = pixels.bitmapByteCount
        try limits.checkMemory(byteCount, byteCount, byteCount, of: .svg)
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
#endif
