internal import CVideoShim
internal import FoundationEssentials
internal import Glibc
internal import HalcyonCodecs
internal import HalcyonRaster

extension VideoReader {
    /// The description of a frame, or of the cover where there are no frames.
    ///
    /// - Throws: ``CodecError``.
    func info() throws(CodecError) -> ImageInfo {
        guard description.has_frames else {
            return try coverInfo()
        }
        let size = frameSize
        guard !size.isEmpty else {
            throw .truncated(format)
        }
        return ImageInfo(
            format: format,
            size: size,
            orientation: orientation,
            bitDepth: min(Int(description.bit_depth), 16),
            hasAlpha: description.has_alpha,
            colorSpace: ColorSpace(colorProfile) ?? (description.is_gray ? .gray : .sRGB)
        )
    }

    /// The description of the video.
    ///
    /// - Throws: ``CodecError``.
    func videoInfo() throws(CodecError) -> VideoInfo {
        let codec = withUnsafeBytes(of: description.codec) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
        return VideoInfo(
            format: format,
            codec: description.has_frames ? codec : nil,
            displaySize: try info().displaySize,
            duration: duration,
            frameRate: description.frame_rate > 0 ? description.frame_rate : nil,
            hasCover: cover != nil
        )
    }

    /// The duration in seconds; `nil` where the container does not say.
    var duration: Double? { description.duration >= 0 ? description.duration : nil }

    /// The encoded image that stands for the file; `nil` also where there is no memory for it, whose size the file
    /// decides.
    var cover: Data? {
        guard let bytes = description.cover, let copy = malloc(description.cover_count) else {
            return nil
        }
        copy.copyMemory(from: bytes, byteCount: description.cover_count)
        return Data(bytesNoCopy: copy, count: description.cover_count, deallocator: .free)
    }

    /// The size of a frame as coded.
    var codedSize: PixelSize { PixelSize(Int(description.width), Int(description.height)) }

    /// The size of a frame with square pixels, before it is turned.
    private var frameSize: PixelSize { squared(codedSize) }

    /// Returns a size in square pixels: as in players, the width changes. Ratios that no camera has are an error of the
    /// file, and left out.
    func squared(_ size: PixelSize) -> PixelSize {
        let ratio = Double(description.aspect_width) / Double(description.aspect_height)
        guard ratio > 0.125, ratio < 8, size.width > 0 else {
            return size
        }
        return PixelSize(max(1, Int((Double(size.width) * ratio).rounded())), size.height)
    }

    /// The orientation that the matrix of the track stands for; `.up` where it is no quarter turn.
    ///
    /// A point (x, y), with y downwards, becomes (ax + cy, bx + dy) by a matrix whose first rows are a, b, u and c, d,
    /// v (ISO/IEC 14496-12, 6.2.2).
    var orientation: Orientation {
        guard description.has_matrix else {
            return .up
        }
        let matrix = description.matrix
        let values = [matrix.0, matrix.1, matrix.3, matrix.4].map(Double.init)
        let greatest = values.map(abs).max() ?? 0
        let signs = values.map { abs($0) < greatest / 64 ? 0 : $0 < 0 ? -1 : 1 }
        return switch signs {
        case [-1, 0, 0, 1]: .upMirrored
        case [-1, 0, 0, -1]: .down
        case [1, 0, 0, -1]: .downMirrored
        case [0, 1, -1, 0]: .right
        case [0, -1, 1, 0]: .left
        case [0, 1, 1, 0]: .leftMirrored
        case [0, -1, -1, 0]: .rightMirrored
        default: .up
        }
    }

    /// The profile of RGB samples. The matrix and the range are undone by swscale.
    ///
    /// The transfer characteristics of BT.709, BT.601 and BT.2020 for standard dynamic range describe cameras; displays
    /// show such videos as they show sRGB, and so do players.
    var colorProfile: ColorProfile? {
        let (primaries, transfer) = (Int(description.primaries), Int(description.transfer))
        let isStandard = [1, 4, 5, 6, 7, 14, 15].contains(transfer)
        // The primaries of BT.601 are so close to those of BT.709 that players take them for these.
        let isNarrow = [4, 5, 6, 7].contains(primaries)
        return ColorProfile(primaries: isNarrow ? 1 : primaries, transfer: isStandard ? 13 : transfer)
    }

    private func coverInfo() throws(CodecError) -> ImageInfo {
        guard let cover else {
            throw .truncated(format)
        }
        return try Self.coverCodecs.info(of: cover, limits: limits)
    }

    /// The codecs of covers: those of Matroska and MP4 are JPEG, PNG or BMP.
    static let coverCodecs = ImageCodecs(decoders: [JPEGDecoder(), PNGDecoder(), BMPDecoder(), WebPDecoder()])
}
