#if TIFF
public import FoundationEssentials
internal import HalcyonRaster

/// Reads TIFF 6.0 and BigTIFF: every compression and colour model that libtiff has, whole, signed and floating-point
/// samples of 1 to 64 bits, strips, tiles and planes. Pages are frames without durations, each of a size of its own.
///
/// Smaller versions of a page are no frames; one can stand in for its page (``DecodeOptions/usesEmbeddedThumbnail``).
///
/// CMYK becomes RGB without regard to a profile for it. Floating-point samples stand for light from 0 to 1; what lies
/// beyond is cut off.
public struct TIFFDecoder: ImageDecoder {
    /// A decoder.
    public init() {}

    /// ``ImageFormat/tiff``.
    public var format: ImageFormat { .tiff }

    /// Returns whether the bytes start with a byte order and the number 42 or 43.
    public func recognizes(_ prefix: Data) -> Bool {
        ImageFormat.detect(prefix) == .tiff
    }

    /// Reads the directories. They may stand anywhere in the file, often at its end, so that the beginning of a file
    /// need not be enough.
    ///
    /// - Throws: ``CodecError/truncated(_:)`` where the bytes end before the first directory does,
    ///   ``CodecError/corrupt(_:reason:)``, ``CodecError/limitExceeded(_:_:)`` for too many pages.
    public func info(of data: Data, limits: DecodeLimits) throws(CodecError) -> ImageInfo {
        let file = try TIFFFile(data)
        let offsets = try file.pages(maximumCount: limits.frameCount)
        return try TIFFDirectory(file, at: offsets[0]).info(frameCount: offsets.count)
    }

    /// Decodes a page.
    public func decode(
        _ data: Data,
        options: DecodeOptions,
        isCancelled: @Sendable () -> Bool
    ) throws -> DecodedImage {
        let file = try TIFFFile(data)
        let offsets = try file.pages(maximumCount: options.limits.frameCount)
        guard offsets.indices.contains(options.frame) else {
            throw CodecError.noSuchFrame(options.frame, frameCount: offsets.count)
        }
        let directory = try TIFFDirectory(file, at: offsets[options.frame])
        var source = (place: offsets[options.frame], directory: directory)
        if options.usesEmbeddedThumbnail {
            let reduced = try file.reducedPage(
                of: directory,
                at: source.place,
                target: options.targetSize,
                maximumCount: options.limits.frameCount
            )
            source = reduced ?? source
        }
        let bitmap = try Self.bitmap(
            of: source.directory,
            at: source.place,
            in: data,
            options: options,
            orientation: options.appliesOrientation ? directory.orientation : .up,
            isCancelled: isCancelled
        )
        return DecodedImage(
            bitmap: bitmap,
            info: directory.info(frameCount: offsets.count),
            colorProfile: source.directory.colorProfile ?? directory.colorProfile
        )
    }

    private static func bitmap(
        of directory: TIFFDirectory,
        at offset: Int,
        in data: Data,
        options: DecodeOptions,
        orientation: Orientation,
        isCancelled: () -> Bool
    ) throws -> Bitmap {
        let limits = options.limits
        try limits.check(directory.size, of: .tiff)
        let byteCount = directory.size.bitmapByteCount
        let orientedByteCount = orientation == .up ? 0 : byteCount
        try limits.checkMemory(byteCount, orientedByteCount, of: .tiff)
        let bitmap = try data.withUnsafeBytes { bytes in
            let page = try TIFFPageReader(bytes, directory: offset, memoryLimit: limits.memory)
            guard page.size == directory.size else {
                // The limits were checked for the size in the header.
                throw CodecError.corrupt(.tiff, reason: "two sizes in one page: \(page.size) and \(directory.size)")
            }
            let image = try TIFFImage(page, options: options)
            // Passed the check above, so that the products do not overflow.
            let scale = image.depth.bytesPerPixel / SampleDepth.eight.bytesPerPixel
            let working = max(orientedByteCount * scale, image.workingByteCount)
            try limits.checkMemory(byteCount * scale, working, of: .tiff)
            return try image.bitmap(isCancelled: isCancelled)
        }
        return try bitmap.upright(orientation)
    }
}
#endif
