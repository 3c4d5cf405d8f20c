internal import CHEIFShim
internal import HalcyonCodecs
internal import HalcyonRaster

extension HEIFImageHandle {
    /// The image, as shown.
    ///
    /// libheif cannot be interrupted, so that cancellation takes effect before and after decoding.
    func bitmap(options: DecodeOptions, context: OpaquePointer, isCancelled: () -> Bool) throws -> Bitmap {
        let depth: SampleDepth = options.keepsSixteenBits && (bitDepth ?? 8) > 8 ? .sixteen : .eight
        try checkLimits(options.limits, depth: depth)
        let geometry = try geometry(limits: options.limits)
        if let geometry, let composition = try geometry.assembly(of: Int(identifier)) {
            return try bitmap(
                of: composition,
                in: geometry,
                depth: depth,
                options: options,
                context: context,
                isCancelled: isCancelled
            )
        }
        // The sizes in the boxes do not bind the coded images; nothing longer than this is decoded. libheif refuses the
        // limit itself, too.
        let side = max(size.width, size.height, codedSize.width, codedSize.height, HEIFCodedItems.greatestTileSide)
        libheif.heif_context_set_maximum_image_size_limit(context, Int32(clamping: side + 1))
        if isCancelled() {
            throw CancellationError()
        }
        let image = try HEIFImage(decoding: self, depth: depth)
        if isCancelled() {
            throw CancellationError()
        }
        let isPremultiplied = libheif.heif_image_handle_is_premultiplied_alpha(handle) != 0
        var bitmap = try image.bitmap(premultiplies: options.premultiplies && !isPremultiplied)
        if options.premultiplies, isPremultiplied { bitmap.limitColors() }
        return bitmap
    }

    private func checkLimits(_ limits: DecodeLimits, depth: SampleDepth) throws(CodecError) {
        let format = container.format
        guard !size.isEmpty else {
            throw .corrupt(format, reason: "it has a size of \(size)")
        }
        for size in [size, codedSize] {
            try limits.check(size, of: format)
        }
        // libheif keeps the coded planes, those of a turned copy, and RGBA, beside our own.
        let planeByteCount = (codedSize.pixelCount * (hasAlpha ? 4 : 3) * ((bitDepth ?? 8) > 8 ? 2 : 1)).value
        try limits.checkMemory(
            size.bitmapByteCount(depth: depth),
            codedSize.bitmapByteCount(depth: depth),
            planeByteCount,
            planeByteCount,
            of: format
        )
    }
}
