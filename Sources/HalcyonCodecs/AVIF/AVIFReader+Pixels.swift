internal import CAVIFShim
internal import HalcyonRaster

extension AVIFReader {
    /// Room for tiles whose edges lie outside of a small image.
    private static let pixelCountOfTiles = SaturatingCount(1 << 16)

    /// A frame, upright if the options say so.
    ///
    /// libavif cannot be interrupted, so that cancellation takes effect before and after decoding each frame, and after
    /// converting.
    func bitmap(ofFrame index: Int, options: DecodeOptions, isCancelled: () -> Bool) throws -> Bitmap {
        let frameCount = max(1, Int(decoder.pointee.imageCount))
        guard 0..<frameCount ~= index else {
            throw CodecError.noSuchFrame(index, frameCount: frameCount)
        }
        let orientation = options.appliedOrientation(of: orientation)
        let depth: SampleDepth = options.keepsSixteenBits && decoder.pointee.image.pointee.depth > 8 ? .sixteen : .eight
        try checkLimits(options.limits, isTurned: orientation != .up, depth: depth)
        try advance(to: index, isCancelled)
        try throwIfCancelled(isCancelled)
        var bitmap = try withItemAlpha(options.limits) {
            try pixels(depth: depth, premultiplies: options.premultiplies)
        }
        try throwIfCancelled(isCancelled)
        if shownSize != size { bitmap = try bitmap.part(PixelRect(size: shownSize)) }
        return try bitmap.upright(orientation)
    }

    /// Makes a frame the current one: decodes up to it, from the key frame before it on if need be.
    private func advance(to index: Int, _ isCancelled: () -> Bool) throws {
        let current = Int(decoder.pointee.imageIndex)
        let keyFrame = Int(libavif.avifDecoderNearestKeyframe(decoder, UInt32(index)))
        let goesOn = current < index && keyFrame <= current + 1
        let first = current == index ? index : goesOn ? current + 1 : min(keyFrame, index)
        for frame in first...index {
            try throwIfCancelled(isCancelled)
            let result = libavif.avifDecoderNthImage(decoder, UInt32(frame))
            guard result == AVIF_RESULT_OK else {
                throw Self.error(result, of: decoder, isCutShort: container.isCutShort)
            }
        }
    }

    private func throwIfCancelled(_ isCancelled: () -> Bool) throws {
        if isCancelled() {
            throw CancellationError()
        }
    }

    private func checkLimits(_ limits: DecodeLimits, isTurned: Bool, depth: SampleDepth) throws(CodecError) {
        try limits.check(size, of: .avif)
        let bitmapByteCount = size.bitmapByteCount(depth: depth)
        let isAnimated = decoder.pointee.imageCount > 1
        // Each image of an animation is checked by libavif.
        let codedPixelCount = isAnimated ? 0 : try container.checkCodedItems(limits: limits)
        let planes = planeByteCount
        // The image and its parts; of an animation, the eight frames that others can refer to (AV1, 7.20).
        let byteCount = isAnimated ? planes * 10 : planes + max(planes, byteCount(ofCodedPixels: codedPixelCount)) * 2
        let isCopied = isTurned || shownSize != size
        try limits.checkMemory(bitmapByteCount, isCopied ? bitmapByteCount : 0, byteCount.value, of: .avif)
        // The coded image can be of another size than the file states. Nothing beyond this is decoded.
        let greatest = min(SaturatingCount(Self.greatestPixelCount), size.pixelCount * 2 + Self.pixelCountOfTiles)
        decoder.pointee.imageSizeLimit = UInt32(greatest.value)
    }

    /// Bytes of one image's planes: brightness, colours and alpha.
    private var planeByteCount: SaturatingCount {
        let image = decoder.pointee.image.pointee
        var format = avifPixelFormatInfo()
        libavif.avifGetPixelFormatInfo(image.yuvFormat, &format)
        let chroma = PixelSize(
            (size.width + 1) >> Int(format.chromaShiftX),
            (size.height + 1) >> Int(format.chromaShiftY)
        )
        let colorCount = format.monochrome != AVIF_FALSE ? 0 : chroma.pixelCount * 2
        let alphaCount = hasAlpha ? size.pixelCount : 0
        return (size.pixelCount + colorCount + alphaCount) * (image.depth > 8 ? 2 : 1)
    }

    /// The bytes that parts of the image take, as far as they have more pixels than it takes for the whole.
    private func byteCount(ofCodedPixels count: SaturatingCount) -> SaturatingCount {
        let wholeCount = size.pixelCount * (hasAlpha ? 2 : 1)
        let product = count * planeByteCount
        return product.value == .max ? product : SaturatingCount(product.value / wholeCount.value)
    }

    /// Lets `body` convert the frame decoded last with the alpha that the boxes say it has, where libavif does not give
    /// that.
    private func withItemAlpha(_ limits: DecodeLimits, _ body: () throws -> Bitmap) throws -> Bitmap {
        guard let alpha = container.alpha, let image = decoder.pointee.image, image.pointee.alphaPlane == nil else {
            return try body()
        }
        guard case .ofTiles(let changes) = alpha else {
            throw CodecError.unsupported(.avif, reason: "its alpha")
        }
        return try changes.applied().withUnsafeBytes { bytes in
            let reader = try AVIFReader(bytes, of: container, extent: .whole, limits: limits)
            return try withExtendedLifetime(reader) {
                reader.decoder.pointee.imageSizeLimit = decoder.pointee.imageSizeLimit
                let result = libavif.avifDecoderNthImage(reader.decoder, 0)
                guard result == AVIF_RESULT_OK, let mask = reader.decoder.pointee.image?.pointee else {
                    throw Self.error(result, of: reader.decoder, isCutShort: container.isCutShort)
                }
                guard mask.width == image.pointee.width, mask.height == image.pointee.height,
                    mask.depth == image.pointee.depth, mask.yuvRange == AVIF_RANGE_FULL
                else {
                    throw CodecError.unsupported(.avif, reason: "a grid whose alpha has another size, depth or range")
                }
                image.pointee.alphaPlane = mask.yuvPlanes.0
                image.pointee.alphaRowBytes = mask.yuvRowBytes.0
                image.pointee.imageOwnsAlphaPlane = AVIF_FALSE
                // The plane belongs to the other image.
                defer { (image.pointee.alphaPlane, image.pointee.alphaRowBytes) = (nil, 0) }
                return try body()
            }
        }
    }

    /// The frame decoded last.
    private func pixels(depth: SampleDepth, premultiplies: Bool) throws(CodecError) -> Bitmap {
        let image = decoder.pointee.image
        guard let image, size == PixelSize(Int(image.pointee.width), Int(image.pointee.height)) else {
            throw .corrupt(.avif, reason: "an image is not \(size) pixels large, as the file states")
        }
        var bitmap = try Bitmap.forDecoding(size, isOpaque: image.pointee.alphaPlane == nil, depth: depth)
        var result = convert(image, into: &bitmap, premultiplies: premultiplies)
        if result == AVIF_RESULT_REFORMAT_FAILED, let substitute = Self.substitutes[image.pointee.matrixCoefficients] {
            image.pointee.matrixCoefficients = substitute
            result = convert(image, into: &bitmap, premultiplies: premultiplies)
        }
        guard result == AVIF_RESULT_OK else {
            throw Self.error(result, of: decoder, isCutShort: false)
        }
        if !bitmap.isOpaque {
            // libavif takes colours that are multiplied by alpha as they come, and loss changes both.
            if premultiplies, image.pointee.alphaPremultiplied != AVIF_FALSE { bitmap.limitColors() }
            bitmap.isOpaque = !bitmap.containsTransparency()
        }
        return bitmap
    }

    /// Matrices that libavif does not know, and the nearest that it does: BT.2020 with constant luminance (10) is shown
    /// as the one without (9).
    private static let substitutes: [avifMatrixCoefficients: avifMatrixCoefficients] = [
        UInt16(AVIF_MATRIX_COEFFICIENTS_BT2020_CL): UInt16(AVIF_MATRIX_COEFFICIENTS_BT2020_NCL)
    ]

    private func convert(
        _ image: UnsafeMutablePointer<avifImage>,
        into bitmap: inout Bitmap,
        premultiplies: Bool
    ) -> avifResult {
        var rows = avifRGBImage()
        let (bytesPerRow, depth) = (bitmap.bytesPerRow, UInt32(bitmap.depth.rawValue))
        return bitmap.withUnsafeMutableBytes { pixels in
            let start = pixels.assumingMemoryBound(to: UInt8.self).baseAddress
            halcyon_avif_describe_rgba(&rows, image, start, bytesPerRow, depth)
            rows.alphaPremultiplied = premultiplies ? AVIF_TRUE : AVIF_FALSE
            return libavif.avifImageYUVToRGB(image, &rows)
        }
    }
}
