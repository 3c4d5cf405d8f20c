internal import FoundationEssentials
internal import HalcyonRaster

/// An icon or a mouse pointer: what both decoders share.
struct ICOFile {
    private let data: Data
    private let format: ImageFormat
    private let limits: DecodeLimits
    private let directory: ICODirectory

    init(_ data: Data, of format: ImageFormat, limits: DecodeLimits) throws(CodecError) {
        self.data = data
        self.format = format
        self.limits = limits
        directory = try ICODirectory(data, of: format, limits: limits)
    }

    /// The description in the first image's own header, in the terms that all formats share.
    var info: ImageInfo {
        get throws(CodecError) {
            let bytes = try directory.bytes(of: directory.entries[0], in: data, format)
            var info: ImageInfo
            if ICODirectory.isPNG(bytes) {
                info = try PNGDecoder().info(of: bytes, limits: limits)
                info.format = format
                info.frameDurations = []
                info.loopCount = nil
                info.orientation = .up
            } else {
                info = try BMPHeader(bytes, at: 0, of: format).info(of: format, in: bytes)
                // By its mask.
                info.hasAlpha = true
            }
            info.frameCount = directory.entries.count
            return info
        }
    }

    func decode(_ options: DecodeOptions, _ isCancelled: @escaping @Sendable () -> Bool) throws -> DecodedImage {
        guard directory.entries.indices.contains(options.frame) else {
            throw CodecError.noSuchFrame(options.frame, frameCount: directory.entries.count)
        }
        let entry = entry(for: options)
        let bytes = try directory.bytes(of: entry, in: data, format)
        let image =
            try ICODirectory.isPNG(bytes)
            ? png(bytes, options, isCancelled) : bitmap(bytes, entry, options, isCancelled)
        let info = try info
        return DecodedImage(
            bitmap: image.bitmap,
            info: info,
            fullSize: options.frame == 0 ? info.size : image.bitmap.size,
            colorProfile: image.colorProfile
        )
    }

    /// The frame asked for; instead of the first one, the smallest that is not smaller than the target size and has
    /// no fewer colours.
    private func entry(for options: DecodeOptions) -> ICODirectory.Entry {
        let entries = directory.entries
        guard options.frame == 0, let target = options.targetSize else {
            return entries[options.frame]
        }
        let serving = entries.last { entry in
            entry.size.width >= target.width && entry.size.height >= target.height
                && entry.bitsPerPixel >= entries[0].bitsPerPixel
        }
        return serving ?? entries[0]
    }

    private func png(
        _ bytes: Data,
        _ options: DecodeOptions,
        _ isCancelled: @Sendable () -> Bool
    ) throws -> (bitmap: Bitmap, colorProfile: ColorProfile?) {
        var options = options
        options.frame = 0
        options.targetSize = nil
        options.appliesOrientation = false
        let image = try PNGDecoder().decode(bytes, options: options, isCancelled: isCancelled)
        return (image.bitmap, image.colorProfile)
    }

    private func bitmap(
        _ bytes: Data,
        _ entry: ICODirectory.Entry,
        _ options: DecodeOptions,
        _ isCancelled: @escaping () -> Bool
    ) throws -> (bitmap: Bitmap, colorProfile: ColorProfile?) {
        let header = try BMPHeader(bytes, at: 0, of: format)
        try limits.check(header.size, of: format)
        try limits.checkMemory(header.size.bitmapByteCount, of: format)
        let bitmap = try bytes.withUnsafeBytes { bytes in
            let image = BMPImage(
                bytes,
                header,
                of: format,
                pixelsOffset: nil,
                premultiplies: options.premultiplies,
                isCancelled: isCancelled
            )
            var bitmap = try image.decode()
            // With an alpha channel in use the mask only repeats it, for systems that know no alpha.
            if !image.showsAlpha, entry.byteCount != image.end, bytes.count > image.end {
                try ICOMask(image).apply(to: &bitmap)
            }
            return bitmap
        }
        return (bitmap, header.color.profile(in: bytes, headerStart: 0))
    }
}
