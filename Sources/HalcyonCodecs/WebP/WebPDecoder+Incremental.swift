public import FoundationEssentials
internal import HalcyonRaster

extension WebPDecoder: IncrementalDecoding {
    /// Begins to read a still image; frames of animations are read once all of the file is there. An image that
    /// announces EXIF behind its pixels is not shown before, as it may be turned.
    public func incrementalReader(for beginning: Data, options: DecodeOptions) throws -> any IncrementalReading {
        let header = try WebPHeader(parsing: beginning, maximumFrameCount: options.limits.frameCount)
        guard !header.isAnimated else {
            throw CodecError.unsupported(.webp, reason: "an animation, while bytes arrive")
        }
        guard let image = header.image else { throw CodecError.truncated(.webp) }
        guard image.size == header.size else {
            throw CodecError.corrupt(.webp, reason: "an image of \(image.size) instead of \(header.size) pixels")
        }
        try options.limits.check(header.size, of: .webp)
        let byteCount = header.size.bitmapByteCount
        // Rows are copied to each image, and turned once more; a lossless image is decoded to a copy of its own.
        try options.limits.checkMemory(byteCount, byteCount, byteCount, of: .webp)
        return try WebPIncrementalReader(beginning, header, image, options: options)
    }
}
