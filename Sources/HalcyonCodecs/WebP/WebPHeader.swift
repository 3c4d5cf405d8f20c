internal import FoundationEssentials
internal import HalcyonRaster

/// The content of the chunks of a WebP file (RFC 9649), read without any pixel being decoded.
struct WebPHeader {
    /// The size of the canvas.
    private(set) var size = PixelSize(0, 0)
    private(set) var hasAlpha = false
    private(set) var isAnimated = false
    /// The still image; `nil` until its data have begun.
    private(set) var image: WebPBitstream?
    /// The frames that can be seen, of which the last may be cut short.
    private(set) var frames: [WebPFrame] = []
    /// A Boolean value that indicates whether there are no more frames than ``frames``.
    private(set) var isFrameCountExact = true
    private(set) var loopCount = 0
    private(set) var orientation: Orientation = .up
    /// A Boolean value that indicates whether the file has other chunks than its image.
    private(set) var isExtended = false
    /// A Boolean value that indicates whether the header announces EXIF that has not been read.
    private(set) var lacksEXIF = false
    private(set) var profile: Data?
    /// A Boolean value that indicates whether the bytes end before the file does.
    private(set) var isCutShort = false

    /// Reads the chunks as far as the bytes go. Frames beyond the greatest number are left out.
    ///
    /// - Throws: ``CodecError/truncated(_:)`` where the bytes end before the size of the image,
    ///   ``CodecError/corrupt(_:reason:)``.
    init(parsing data: Data, maximumFrameCount: Int) throws(CodecError) {
        var chunks = try WebPChunks(data)
        var alpha: Data?
        while let chunk = chunks.next() {
            switch chunk.name {
            case "VP8X" where size.isEmpty:
                try readExtendedHeader(chunk)
                isExtended = true
            case "VP8 ", "VP8L":
                try readImage(chunk, alpha: alpha)
                if !isExtended {
                    // A simple file has nothing else (RFC 9649 2.5, 2.6).
                    isCutShort = chunks.isCutShort || chunk.isCutShort
                    return
                }
            case "ALPH" where isExtended:
                alpha = alpha ?? chunk.reader.data
                hasAlpha = true
            case "ANIM" where isAnimated:
                loopCount = chunk.reader.uint16(at: 4) ?? 0
            case "ANMF" where isAnimated:
                readFrame(chunk, maximumFrameCount: maximumFrameCount)
            case "ICCP" where isExtended && !chunk.isCutShort:
                profile = profile ?? chunk.reader.data
            case "EXIF" where isExtended && !chunk.isCutShort:
                orientation = EXIF.orientation(in: chunk.reader.data) ?? orientation
                lacksEXIF = false
            default:
                // Unknown chunks are skipped (RFC 9649 2.7.1.6), but an image has to start with a known one.
                guard isExtended else {
                    throw chunk.isCutShort
                        ? .truncated(.webp) : .corrupt(.webp, reason: "the first chunk is no image")
                }
            }
        }
        guard isExtended else {
            throw .truncated(.webp)
        }
        isCutShort = chunks.isCutShort
        if isAnimated, chunks.isExhausted {
            isFrameCountExact = false
        }
    }

    /// RFC 9649 2.7.1.1: flags, three reserved bytes, width - 1 and height - 1 of 24 bits each.
    private mutating func readExtendedHeader(_ chunk: WebPChunks.Chunk) throws(CodecError) {
        guard let flags = chunk.reader.uint8(at: 0), let width = chunk.reader.uint24(at: 4),
            let height = chunk.reader.uint24(at: 7)
        else {
            throw chunk.isCutShort ? .truncated(.webp) : .corrupt(.webp, reason: "the VP8X chunk is too short")
        }
        size = PixelSize(width + 1, height + 1)
        hasAlpha = flags & 0x10 != 0
        isAnimated = flags & 0x02 != 0
        lacksEXIF = flags & 0x08 != 0
    }

    /// The first image is that of the file. Those of an animation are in its frames.
    private mutating func readImage(_ chunk: WebPChunks.Chunk, alpha: Data?) throws(CodecError) {
        guard image == nil, !isAnimated else {
            return
        }
        image = try WebPBitstream(chunk, alpha: alpha)
        hasAlpha = hasAlpha || image?.hasAlpha == true
        if !isExtended {
            guard let image else {
                throw .truncated(.webp)
            }
            size = image.size
        }
    }

    private mutating func readFrame(_ chunk: WebPChunks.Chunk, maximumFrameCount: Int) {
        // Of a frame that is cut before its image begins, nothing can be shown.
        guard isFrameCountExact, let frame = WebPFrame(chunk), frame.image != nil || !frame.isCutShort else {
            return
        }
        guard frames.count < max(1, maximumFrameCount) else {
            isFrameCountExact = false
            return
        }
        frames.append(frame)
    }
}

extension WebPHeader {
    /// At least 1, even where no frame can be seen yet.
    var frameCount: Int { max(1, frames.count) }

    var info: ImageInfo {
        var info = ImageInfo(
            format: .webp,
            size: size,
            orientation: orientation,
            frameCount: frameCount,
            frameDurations: frames.map(\.duration),
            loopCount: isAnimated ? loopCount : nil,
            hasAlpha: hasAlpha,
            colorSpace: profile.flatMap(ICCProfile.colorSpace(of:)) ?? .sRGB
        )
        info.isFrameCountExact = isFrameCountExact
        if isAnimated, isFrameCountExact { info.file.hasEnd = !isCutShort }
        let images = isAnimated ? frames.compactMap(\.image) : [image].compactMap(\.self)
        if !images.isEmpty { info.file.isLossless = images.allSatisfy(\.isLossless) }
        return info
    }

    /// `nil` for sRGB, and for bytes that are no profile for red, green and blue.
    var colorProfile: ColorProfile? { ColorProfile(embedded: profile) }
}
