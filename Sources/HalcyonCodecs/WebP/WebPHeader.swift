internal import FoundationEssentials
internal import HalcyonRaster

/// The content of the chunks of a WebP file (RFC 9649), read without any pixel being decoded.
struct WebPHeader {
    /// The size of the canvas.
    private(set) var size = PixelSize(0, 0)
    private(set) var hasAlpha = false
    private(set) var isAnimated = false
    /// A Boolean value that indicates whether the still image is coded without loss.
    private(set) var isLossless = false
    /// A Boolean value that indicates whether the data of a still image have begun.
    private(set) var hasImage = false
    /// The frames that can be seen, of which the last may be cut short.
    private(set) var frames: [WebPFrame] = []
    private(set) var loopCount = 0
    private(set) var orientation: Orientation = .up
    /// A Boolean value that indicates whether the file has other chunks than its image.
    private(set) var isExtended = false
    /// A Boolean value that indicates whether the header announces EXIF that has not been read.
    private(set) var lacksEXIF = false
    private(set) var profile: Data?
    /// A Boolean value that indicates whether the bytes end before the file does.
    private(set) var isCutShort = false

    /// Reads the chunks as far as the bytes go.
    ///
    /// - Throws: ``CodecError/truncated(_:)`` where the bytes end before the size of the image,
    ///   ``CodecError/limitExceeded(_:_:)`` for too many frames.
    init(parsing data: Data, maximumFrameCount: Int) throws(CodecError) {
        var chunks = try WebPChunks(data)
        while let chunk = chunks.next() {
            switch chunk.name {
            case "VP8X" where size.isEmpty:
                try readExtendedHeader(chunk)
                isExtended = true
            case "VP8 ", "VP8L":
                try readImage(chunk, definesSize: !isExtended)
                if !isExtended {
                    // A simple file has nothing else (RFC 9649 2.5, 2.6).
                    isCutShort = chunks.isCutShort || chunk.isCutShort
                    return
                }
            case "ALPH" where isExtended:
                hasAlpha = true
            case "ANIM" where isAnimated:
                loopCount = chunk.reader.uint16(at: 4) ?? 0
            case "ANMF" where isAnimated:
                try readFrame(chunk, maximumFrameCount: maximumFrameCount)
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

    private mutating func readImage(_ chunk: WebPChunks.Chunk, definesSize: Bool) throws(CodecError) {
        isLossless = chunk.name == "VP8L"
        guard let image = try WebPImageHeader(chunk) else {
            if definesSize {
                throw .truncated(.webp)
            }
            return
        }
        hasImage = true
        hasAlpha = hasAlpha || image.hasAlpha
        if definesSize {
            size = image.size
        }
    }

    private mutating func readFrame(_ chunk: WebPChunks.Chunk, maximumFrameCount: Int) throws(CodecError) {
        guard let frame = WebPFrame(chunk) else {
            return
        }
        frames.append(frame)
        guard frames.count <= maximumFrameCount else {
            throw .limitExceeded(.webp, .frameCount(frames.count, maximum: maximumFrameCount))
        }
    }
}

extension WebPHeader {
    /// At least 1, even where no frame can be seen yet.
    var frameCount: Int { max(1, frames.count) }

    var info: ImageInfo {
        ImageInfo(
            format: .webp,
            size: size,
            orientation: orientation,
            frameCount: frameCount,
            frameDurations: frames.map(\.duration),
            loopCount: isAnimated ? loopCount : nil,
            hasAlpha: hasAlpha,
            colorSpace: profile.flatMap(ICCProfile.colorSpace(of:)) ?? .sRGB
        )
    }

    /// `nil` for sRGB, and for bytes that are no profile for red, green and blue.
    var colorProfile: ColorProfile? { ColorProfile(embedded: profile) }
}
