#if HEIC
internal import CHEIF
internal import FoundationEssentials
internal import HalcyonRaster

extension HEIFImageHandle {
    /// Draws the parts of a picture that libheif is not to put together: 1.15 reads beyond the parts of an overlay that
    /// reach over the left or upper border.
    ///
    /// - Parameter depth: That of the bitmap. Parts of another are converted.
    func bitmap(
        of composition: HEIFComposition,
        depth: SampleDepth,
        options: DecodeOptions,
        context: OpaquePointer,
        isCancelled: () -> Bool
    ) throws -> Bitmap {
        let format = container.format
        try options.limits.check(composition.size, of: format)
        try options.limits.checkMemory(composition.size.bitmapByteCount(depth: depth), of: format)
        var bitmap = try Bitmap.forDecoding(composition.size, isOpaque: false, depth: depth)
        bitmap.fill(PixelRect(size: composition.size), with: composition.background)
        var partOptions = options
        partOptions.premultiplies = true
        // What is drawn more than once is decoded once, as long as there is memory.
        let counts = Dictionary(composition.parts.map { ($0, 1) }, uniquingKeysWith: +)
        var (decoded, keptByteCount) = ([Int: Bitmap](), 0)
        for (part, place) in zip(composition.parts, composition.places) {
            if isCancelled() {
                throw CancellationError()
            }
            let source: Bitmap
            if let known = decoded[part] {
                source = known
            } else {
                guard let identifier = heif_item_id(exactly: part) else {
                    throw CodecError.corrupt(format, reason: "no picture with the number \(part)")
                }
                let handle = try HEIFReader.handle(of: identifier, in: context, container)
                source = try handle.bitmap(options: partOptions, context: context, isCancelled: { false })
                if counts[part, default: 1] > 1 {
                    keptByteCount += source.size.bitmapByteCount(depth: source.depth)
                    try options.limits.checkMemory(
                        composition.size.bitmapByteCount(depth: depth),
                        keptByteCount,
                        of: format
                    )
                    decoded[part] = source
                }
            }
            bitmap.draw(source, at: place)
        }
        if isCancelled() {
            throw CancellationError()
        }
        if !bitmap.isOpaque {
            bitmap.isOpaque = !bitmap.containsTransparency()
        }
        return try bitmap.upright(try container.orientation(ofComposed: Int(identifier)))
    }
}
#endif
