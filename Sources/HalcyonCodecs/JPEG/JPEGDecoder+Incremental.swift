public import FoundationEssentials
internal import HalcyonRaster

extension JPEGDecoder: IncrementalDecoding {
    /// Begins to read a file with Huffman coding; the decoder of arithmetic coding cannot wait for bytes.
    ///
    /// A target size is served as for a whole file. ``DecodeOptions/usesEmbeddedThumbnail`` makes no difference.
    public func incrementalReader(for beginning: Data, options: DecodeOptions) throws -> any IncrementalReading {
        let header = try JPEGHeader(parsing: beginning)
        if let reason = header.unsupportedReason {
            throw CodecError.unsupported(.jpeg, reason: reason)
        }
        guard header.hasScan else { throw CodecError.truncated(.jpeg) }
        guard header.process < 0xc8 else {
            throw CodecError.unsupported(.jpeg, reason: "arithmetic coding, while bytes arrive")
        }
        let orientation = options.appliedOrientation(of: header.orientation)
        let target = orientation.swapsSides ? options.targetSize?.transposed : options.targetSize
        let limit = options.bitmapLimit
        let scale = JPEGScale(of: header.size, serving: target, within: limit)
        try options.limits.check(limit == nil ? header.size : scale.size, of: .jpeg)
        let bitmapByteCount = scale.size.bitmapByteCount
        // Rows are kept beside each image that is made of them.
        try options.limits.checkMemory(
            bitmapByteCount,
            header.hasMultipleScans ? header.coefficientByteCount : bitmapByteCount,
            orientation == .up ? 0 : bitmapByteCount,
            of: .jpeg
        )
        return try JPEGIncrementalReader(beginning, header, scale: scale, options: options)
    }

    /// Returns the thumbnail in the EXIF block, if it has the image's shape, within 3 %.
    public func embeddedThumbnail(
        in beginning: Data,
        options: DecodeOptions,
        isCancelled: @Sendable () -> Bool
    ) throws -> DecodedImage? {
        let header = try JPEGHeader(parsing: beginning)
        var options = options
        options.usesEmbeddedThumbnail = true
        guard
            let bitmap = try thumbnail(of: header, serving: nil, options: options, isCancelled: isCancelled)
        else { return nil }
        let orientation = options.appliedOrientation(of: header.orientation)
        return DecodedImage(
            bitmap: try bitmap.upright(orientation),
            info: header.info,
            fullSize: orientation.displaySize(of: header.size),
            colorProfile: header.colorProfile
        )
    }
}
