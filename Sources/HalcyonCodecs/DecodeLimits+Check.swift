package import HalcyonRaster

extension DecodeLimits {
    /// Refuses a frame size that is beyond these limits.
    package func check(_ size: PixelSize, of format: ImageFormat) throws(CodecError) {
        guard max(size.width, size.height) <= sideLength else {
            throw .limitExceeded(format, .sideLength(size, maximum: sideLength))
        }
        guard size.area <= pixelCount else {
            throw .limitExceeded(format, .pixelCount(size, maximum: pixelCount))
        }
    }

    /// Refuses a sum of buffers, in bytes, that is beyond these limits. The single counts must come from sizes that
    /// passed ``check(_:of:)``; their sum is saturated.
    package func checkMemory(_ byteCounts: Int..., of format: ImageFormat) throws(CodecError) {
        let sum = byteCounts.reduce(SaturatingCount(0)) { $0 + SaturatingCount($1) }.value
        guard sum <= memory else {
            throw .limitExceeded(format, .memory(sum, maximum: memory))
        }
    }
}

extension PixelSize {
    /// The bytes that a bitmap of this size with 8 bits a sample takes, or `Int.max` where they cannot be counted.
    package var bitmapByteCount: Int { bitmapByteCount(depth: .eight) }

    /// The bytes that a bitmap of this size takes, or `Int.max` where they cannot be counted.
    package func bitmapByteCount(depth: SampleDepth) -> Int {
        let (bytesPerRow, rowOverflows) = width.multipliedReportingOverflow(by: depth.bytesPerPixel)
        guard !rowOverflows, bytesPerRow <= .max - 63 else {
            return .max
        }
        let (byteCount, overflows) = ((bytesPerRow + 63) & ~63).multipliedReportingOverflow(by: height)
        return overflows ? .max : byteCount
    }

    /// Returns the largest size of about the same shape whose bitmap takes at most `maximum` bytes; this size if its
    /// bitmap does. Each side is at least 1, for which 64 bytes are needed.
    func reduced(toByteCount maximum: Int, depth: SampleDepth) -> PixelSize {
        let byteCount = bitmapByteCount(depth: depth)
        guard byteCount > maximum else { return self }
        let factor = (Double(max(1, maximum)) / Double(byteCount)).squareRoot()
        var size = fitting(in: PixelSize(max(1, Int(Double(width) * factor)), height))
        // Rows are padded, so that a few steps may be needed.
        while size.width > 1, size.bitmapByteCount(depth: depth) > maximum {
            size = fitting(in: PixelSize(size.width - 1, height))
        }
        guard size.bitmapByteCount(depth: depth) > maximum else { return size }
        let bytesPerRow = PixelSize(size.width, 1).bitmapByteCount(depth: depth)
        return PixelSize(size.width, max(1, maximum / bytesPerRow))
    }
}
