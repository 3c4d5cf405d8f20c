internal import FoundationEssentials
internal import HalcyonRaster

/// An icon or a mouse pointer: what both decoders share.
struct ICOFile {
    private let data: Data
    private let format: ImageFormat
    private let limits: DecodeLimits
    private let directory: ICODirectory

    /// The images that are tried at most, where the best ones are damaged: any number of entries can name the same one.
    private static let maximumAttemptCount = 4

    init(_ data: Data, of format: ImageFormat, limits: DecodeLimits) throws(CodecError) {
        self.data = data
        self.format = format
        self.limits = limits
        directory = try ICODirectory(data, of: format, limits: limits)
    }

    /// The description in the first image's own header, in the terms that all formats share; where that is damaged, in
    /// that of the next one. An image that has not arrived yet may still be the best.
    var info: ImageInfo {
        get throws(CodecError) {
            var failure: CodecError?
            for entry in attempts(directory.entries[0]) {
                do throws(CodecError) {
                    return try info(of: entry)
                } catch {
                    guard error.allowsAnotherImage, error != .truncated(format) else {
                        throw failure ?? error
                    }
                    failure = failure ?? error
                }
            }
            throw failure ?? .corrupt(format, reason: "there is no image")
        }
    }

    private func info(of entry: ICODirectory.Entry) throws(CodecError) -> ImageInfo {
        let bytes = try directory.bytes(of: entry, in: data, format)
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
        info.isFrameCountExact = directory.isComplete
        return info
    }

    /// Decodes the image asked for. Where the best one is damaged, another that is sound shows the same, smaller; if
    /// there is none, what is there of the best. All that are tried are within the limits together.
    func decode(_ options: DecodeOptions, _ isCancelled: @escaping @Sendable () -> Bool) throws -> DecodedImage {
        guard directory.entries.indices.contains(options.frame) else {
            throw CodecError.noSuchFrame(options.frame, frameCount: directory.entries.count)
        }
        let first = entry(for: options)
        let best = Result { try decode(first, options, isCancelled) }
        switch best {
        case .success(let image) where !image.isPartial: return image
        case .failure(let error) where (error as? CodecError)?.allowsAnotherImage != true: throw error
        default: break
        }
        guard options.frame == 0, options.damage == .showsWhatIsThere else { return try best.get() }
        var rest = options
        rest.damage = .isRefused
        rest.limits.memory -= (try? best.get().bitmap.byteCount) ?? 0
        rest.limits.pixelCount -= (try? info(of: first).size.area) ?? 0
        for entry in attempts(first).dropFirst() {
            do {
                return try decode(entry, rest, isCancelled, isPartial: true)
            } catch let error as CodecError where error.allowsAnotherImage || error.isOfLimit {
                rest.limits.pixelCount -= (try? info(of: entry).size.area) ?? 0
            }
        }
        return try best.get()
    }

    private func decode(
        _ entry: ICODirectory.Entry,
        _ options: DecodeOptions,
        _ isCancelled: @escaping @Sendable () -> Bool,
        isPartial: Bool = false
    ) throws -> DecodedImage {
        let bytes = try directory.bytes(of: entry, in: data, format)
        let image =
            try ICODirectory.isPNG(bytes)
            ? png(bytes, options, isCancelled) : bitmap(bytes, entry, options, isCancelled)
        let info = try (try? info) ?? info(of: entry)
        return DecodedImage(
            bitmap: image.bitmap,
            info: info,
            fullSize: options.frame == 0 ? info.size : image.bitmap.size,
            colorProfile: image.colorProfile,
            isPartial: isPartial || image.isPartial
        )
    }

    /// An entry, and those that are tried if its image is damaged.
    private func attempts(_ first: ICODirectory.Entry) -> [ICODirectory.Entry] {
        var attempts = [first]
        for entry in directory.entries where attempts.count < Self.maximumAttemptCount {
            if !attempts.contains(where: { $0.offset == entry.offset }) { attempts.append(entry) }
        }
        return attempts
    }

    /// The pixels of one entry.
    private typealias Pixels = (bitmap: Bitmap, colorProfile: ColorProfile?, isPartial: Bool)

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
    ) throws -> Pixels {
        var options = options
        options.frame = 0
        options.targetSize = nil
        options.appliesOrientation = false
        let image = try PNGDecoder().decode(bytes, options: options, isCancelled: isCancelled)
        return (image.bitmap, image.colorProfile, image.isPartial)
    }

    private func bitmap(
        _ bytes: Data,
        _ entry: ICODirectory.Entry,
        _ options: DecodeOptions,
        _ isCancelled: @escaping () -> Bool
    ) throws -> Pixels {
        let header = try BMPHeader(bytes, at: 0, of: format)
        try options.limits.check(header.size, of: format)
        try options.limits.checkMemory(header.size.bitmapByteCount, of: format)
        var isPartial = false
        let bitmap = try bytes.withUnsafeBytes { bytes in
            let image = BMPImage(
                bytes,
                header,
                of: format,
                pixelsOffset: nil,
                premultiplies: options.premultiplies,
                damage: options.damage,
                isCancelled: isCancelled
            )
            var bitmap: Bitmap
            let end: Int
            (bitmap, isPartial, end) = try image.decodeWhatIsThere()
            // With an alpha channel in use the mask only repeats it, for systems that know no alpha.
            if !image.showsAlpha, entry.byteCount != end, bytes.count > end {
                let mask = ICOMask(image, at: end)
                guard !mask.isCutShort || options.damage == .showsWhatIsThere else {
                    throw CodecError.truncated(format)
                }
                mask.apply(to: &bitmap)
                isPartial = isPartial || mask.isCutShort
            }
            return bitmap
        }
        return (bitmap, try header.color.profile(in: bytes, headerStart: 0), isPartial)
    }
}

extension CodecError {
    /// A Boolean value that indicates whether another image of the same file may do.
    fileprivate var allowsAnotherImage: Bool {
        switch self {
        case .truncated, .corrupt, .unsupported: true
        default: false
        }
    }

    /// A Boolean value that indicates whether a smaller image of the same file may do.
    fileprivate var isOfLimit: Bool {
        if case .limitExceeded = self { true } else { false }
    }
}
