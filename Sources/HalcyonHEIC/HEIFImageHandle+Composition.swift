internal import CHEIFShim
internal import FoundationEssentials
internal import HalcyonCodecs
internal import HalcyonRaster

extension HEIFImageHandle {
    /// Draws the parts of an image that libheif is not to put together: 1.15 reads beyond the parts of an overlay that
    /// reach over the left or upper border.
    ///
    /// - Parameters:
    ///   - geometry: Of the image that it belongs to.
    ///   - depth: That of the bitmap. Parts of another are converted.
    func bitmap(
        of composition: HEIFComposition,
        in geometry: HEIFGeometry,
        depth: SampleDepth,
        options: DecodeOptions,
        context: OpaquePointer,
        isCancelled: () -> Bool
    ) throws -> Bitmap {
        let format = container.format
        try options.limits.check(composition.size, of: format)
        let canvasByteCount = composition.size.bitmapByteCount(depth: depth)
        try options.limits.checkMemory(canvasByteCount, of: format)
        var bitmap = try Bitmap.forDecoding(composition.size, isOpaque: false, depth: depth)
        bitmap.fill(PixelRect(size: composition.size), with: composition.background)
        var partOptions = options
        partOptions.premultiplies = true
        partOptions.limits.memory -= canvasByteCount
        // An image that is drawn more than once is decoded once, as long as there is memory.
        let counts = Dictionary(composition.parts.map { ($0, 1) }, uniquingKeysWith: +)
        var decoded: [Int: Bitmap] = [:]
        for (part, place) in zip(composition.parts, composition.places) {
            if isCancelled() {
                throw CancellationError()
            }
            let source: Bitmap
            if let known = decoded[part] {
                source = known
            } else {
                guard let identifier = heif_item_id(exactly: part) else {
                    throw CodecError.corrupt(format, reason: "no image with the number \(part)")
                }
                let handle = try HEIFReader.handle(of: identifier, in: context, container, partOf: geometry)
                source = try handle.bitmap(options: partOptions, context: context, isCancelled: isCancelled)
                if counts[part, default: 1] > 1 {
                    let byteCount = source.size.bitmapByteCount(depth: source.depth)
                    try partOptions.limits.checkMemory(byteCount, of: format)
                    partOptions.limits.memory -= byteCount
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
        return try bitmap.upright(try geometry.orientation(ofComposed: Int(identifier)))
    }
}
