internal import CAVIFShim
internal import FoundationEssentials
internal import HalcyonRaster

/// An open AVIF file: owns libavif's decoder, which reads from bytes that must outlive it.
final class AVIFReader {
    /// The greatest number of pixels that libavif decodes, whatever the caller allows: its own greatest value.
    static let greatestPixelCount = 1 << 28

    /// The part of the file that is there.
    enum Extent {
        /// All of it; what lies beyond its end does not exist.
        case whole
        /// Perhaps the beginning only, which is enough for the header.
        case beginning
    }

    let decoder: UnsafeMutablePointer<avifDecoder>
    let container: AVIFContainer
    /// The size of the images as coded.
    let size: PixelSize
    /// The size of the part of them that is shown, from the top left pixel on.
    let shownSize: PixelSize

    /// Reads the boxes.
    ///
    /// - Parameters:
    ///   - bytes: Those of `container`; borrowed until the reader is gone.
    ///   - extent: Whether pixels will be asked for.
    ///   - includesMetadata: Whether EXIF and XMP are read, which may lie at the end of the file.
    init(
        _ bytes: UnsafeRawBufferPointer,
        of container: AVIFContainer,
        extent: Extent,
        limits: DecodeLimits,
        threadCount: Int = 1,
        includesMetadata: Bool = false
    ) throws(CodecError) {
        guard CodecLibrary.avif.isInstalled else {
            throw .unsupported(.avif, reason: "libavif is not installed")
        }
        guard !container.hasTooLongLists else {
            throw .corrupt(.avif, reason: "its lists are longer than those of any image")
        }
        if let meta = container.meta,
            !HEIFItemLocations.areReasonable(ByteReader(container.data), meta: meta, isBeginning: extent == .beginning)
        {
            throw container.isCutShort
                ? .truncated(.avif) : .corrupt(.avif, reason: "its items claim more bytes than the file has")
        }
        guard !container.hasTooManyTracks else {
            throw .corrupt(.avif, reason: "it has too many tracks")
        }
        guard let decoder = libavif.avifDecoderCreate() else {
            throw .bitmap(.outOfMemory(byteCount: MemoryLayout<avifDecoder>.size))
        }
        decoder.pointee.strictFlags = avifStrictFlags(AVIF_STRICT_DISABLED.rawValue)
        decoder.pointee.maxThreads = Int32(clamping: threadCount)
        decoder.pointee.ignoreExif = includesMetadata ? AVIF_FALSE : AVIF_TRUE
        decoder.pointee.ignoreXMP = includesMetadata ? AVIF_FALSE : AVIF_TRUE
        decoder.pointee.imageDimensionLimit = 0
        decoder.pointee.imageCountLimit = UInt32(clamping: max(1, limits.frameCount))
        let isSet = libavif.avifDecoderSetIOMemory(
            decoder,
            bytes.assumingMemoryBound(to: UInt8.self).baseAddress,
            bytes.count
        )
        if isSet == AVIF_RESULT_OK, extent == .beginning, let source = decoder.pointee.io {
            source.pointee.sizeHint = UInt64(bytes.count + HEIFItemLocations.greatestMissingByteCount)
        }
        let result = isSet == AVIF_RESULT_OK ? libavif.avifDecoderParse(decoder) : isSet
        guard result == AVIF_RESULT_OK, let image = decoder.pointee.image?.pointee else {
            let error = Self.parseError(result, of: decoder, container)
            libavif.avifDecoderDestroy(decoder)
            throw error
        }
        self.decoder = decoder
        self.container = container
        size = PixelSize(Int(image.width), Int(image.height))
        let isCropped = image.transformFlags & AVIF_TRANSFORM_CLAP.rawValue != 0
        shownSize = isCropped ? Self.aperture(image.clap, of: size) ?? size : size
        guard !container.hasOptionalTransformation else {
            throw .corrupt(.avif, reason: "it turns or crops the image by a property that is not marked essential")
        }
        guard !size.isEmpty else {
            throw .corrupt(.avif, reason: "it has a size of \(size)")
        }
    }

    deinit {
        libavif.avifDecoderDestroy(decoder)
    }

    /// Returns the size of a clean aperture (ISO/IEC 14496-12, 12.1.4); `nil` where it has parts of pixels, or reaches
    /// out of the image, which MIAF forbids (ISO/IEC 23000-22, 7.3.6.7), or does not begin in the corner: then Chromium
    /// shows all of the image, lest files hide parts of theirs.
    private static func aperture(_ box: avifCleanApertureBox, of size: PixelSize) -> PixelSize? {
        /// The offset is that of the aperture's centre from the image's.
        func side(_ count: (UInt32, UInt32), _ offset: (UInt32, UInt32), of length: Int) -> Int? {
            let (divisor, offsetDivisor) = (Int(Int32(bitPattern: count.1)), Int(Int32(bitPattern: offset.1)))
            // No longer side is decoded, and no product below overflows.
            guard divisor > 0, offsetDivisor > 0, length <= greatestPixelCount, Int(count.0).isMultiple(of: divisor),
                case let side = Int(count.0) / divisor, 1...length ~= side,
                (length - side) * offsetDivisor + 2 * Int(Int32(bitPattern: offset.0)) == 0
            else {
                return nil
            }
            return side
        }
        guard let width = side((box.widthN, box.widthD), (box.horizOffN, box.horizOffD), of: size.width),
            let height = side((box.heightN, box.heightD), (box.vertOffN, box.vertOffD), of: size.height)
        else {
            return nil
        }
        return PixelSize(width, height)
    }

    /// libavif's refusal in our terms: limits first, because it calls all of them damage.
    private static func parseError(
        _ result: avifResult,
        of decoder: UnsafeMutablePointer<avifDecoder>,
        _ container: AVIFContainer
    ) -> CodecError {
        if let size = container.itemSize ?? container.track?.size, size.area > greatestPixelCount {
            return .limitExceeded(.avif, .pixelCount(size, maximum: greatestPixelCount))
        }
        return error(result, of: decoder, isCutShort: container.isCutShort)
    }

    /// libavif's failure in our terms.
    static func error(
        _ result: avifResult,
        of decoder: UnsafeMutablePointer<avifDecoder>,
        isCutShort: Bool
    ) -> CodecError {
        let detail = withUnsafeBytes(of: &decoder.pointee.diag.error) { text in
            String(decoding: text.prefix { $0 != 0 }, as: UTF8.self)
        }
        // The detail is the only trace of bytes that end between two boxes.
        if isCutShort || detail.lowercased().contains("truncated data") {
            return .truncated(.avif)
        }
        let name = libavif.avifResultToString(result).map { String(cString: $0) } ?? "unknown error"
        let reason = detail.isEmpty ? name : "\(name): \(detail)"
        switch result {
        case AVIF_RESULT_TRUNCATED_DATA, AVIF_RESULT_IO_ERROR, AVIF_RESULT_WAITING_ON_IO:
            return .truncated(.avif)
        case AVIF_RESULT_NO_CODEC_AVAILABLE, AVIF_RESULT_NOT_IMPLEMENTED, AVIF_RESULT_UNSUPPORTED_DEPTH,
            // Coefficients of colours that it does not know.
            AVIF_RESULT_REFORMAT_FAILED:
            return .unsupported(.avif, reason: reason)
        default:
            return .corrupt(.avif, reason: reason)
        }
    }
}
