internal import CAVIFShim
internal import FoundationEssentials
internal import HalcyonRaster

/// A file being encoded: owns libavif's encoder.
final class AVIFWriter {
    /// Frames from one that can be decoded alone to the next: the most that going back in an animation costs.
    private static let keyFrameDistance: Int32 = 60
    /// libaom 3.6 repeats the first frame of a lossless animation for ever at speeds from 7 on.
    private static let greatestLosslessSpeed = 6
    /// Of a bitmap of 16 bits a sample: with loss what all decoders of AVIF's baseline profile read, and without all
    /// that AV1 has.
    private static let (wideDepth, greatestDepth) = (10, 12)
    /// One tick is a millisecond.
    private static let timescale: UInt64 = 1_000

    private let encoder: UnsafeMutablePointer<avifEncoder>
    private let options: EncodeOptions
    private let isLossless: Bool
    private let isAnimation: Bool
    private let format: avifPixelFormat

    /// A Boolean value that indicates whether libavif writes how often the animation plays.
    let writesLoopCount: Bool

    /// - Parameter loopCount: `nil` for a still image.
    init(_ options: EncodeOptions, loopCount: Int? = nil) throws(CodecError) {
        guard CodecLibrary.avif.isInstalled else {
            throw .cannotEncode(.avif, reason: "libavif is not installed")
        }
        guard let encoder = libavif.avifEncoderCreate() else {
            throw .cannotEncode(.avif, reason: "out of memory")
        }
        self.encoder = encoder
        self.options = options
        isLossless = options.quality == nil
        isAnimation = loopCount != nil
        format =
            isLossless || options.effectiveChromaSampling == .yuv444
            ? AVIF_PIXEL_FORMAT_YUV444 : AVIF_PIXEL_FORMAT_YUV420
        encoder.pointee.codecChoice = AVIF_CODEC_CHOICE_AOM
        encoder.pointee.maxThreads = Int32(clamping: max(1, options.threadCount))
        let speed = options.effort(from: 9, to: 1, default: 6)
        encoder.pointee.speed = Int32(isLossless ? min(speed, Self.greatestLosslessSpeed) : speed)
        encoder.pointee.timescale = Self.timescale
        encoder.pointee.keyframeInterval = Self.keyFrameDistance
        writesLoopCount = loopCount.map { halcyon_avif_set_loop_count(encoder, UInt32(clamping: $0)) } ?? false
        try setQuality()
    }

    deinit {
        libavif.avifEncoderDestroy(encoder)
    }

    /// A fixed quantizer gives what a quality promises; a range of them would leave the choice to libaom.
    private func setQuality() throws(CodecError) {
        let limit = Int32(isLossless ? 0 : 63)
        encoder.pointee.minQuantizer = 0
        encoder.pointee.maxQuantizer = limit
        encoder.pointee.minQuantizerAlpha = 0
        encoder.pointee.maxQuantizerAlpha = limit
        if let quality = options.clampedQuality {
            let quantizer = Int(QualityScale.quantizer.value(of: quality).rounded())
            try check(halcyon_avif_set_codec_option(encoder, "end-usage", "q"))
            try check(halcyon_avif_set_codec_option(encoder, "cq-level", "\(quantizer)"))
        }
    }

    /// Encodes an image.
    ///
    /// - Parameter duration: In milliseconds, for a frame of an animation; `nil` for a still image.
    func add(_ bitmap: Bitmap, hasAlpha: Bool, duration: Int?) throws(CodecError) {
        let bitmap = isAnimation ? try bitmap.withEightBits() : bitmap
        guard max(bitmap.width, bitmap.height) <= AVIFEncoder.maximumSideLength else {
            throw .cannotEncode(
                .avif,
                reason: "\(bitmap.size) pixels; a side can have \(AVIFEncoder.maximumSideLength)"
            )
        }
        let depth = bitmap.depth == .eight ? 8 : isLossless ? Self.greatestDepth : Self.wideDepth
        guard let image = libavif.avifImageCreate(UInt32(bitmap.width), UInt32(bitmap.height), UInt32(depth), format)
        else {
            throw .cannotEncode(.avif, reason: "out of memory")
        }
        defer { libavif.avifImageDestroy(image) }
        image.pointee.yuvRange = AVIF_RANGE_FULL
        image.pointee.colorPrimaries = UInt16(AVIF_COLOR_PRIMARIES_BT709)
        image.pointee.transferCharacteristics = UInt16(AVIF_TRANSFER_CHARACTERISTICS_SRGB)
        image.pointee.matrixCoefficients =
            UInt16(isLossless ? AVIF_MATRIX_COEFFICIENTS_IDENTITY : AVIF_MATRIX_COEFFICIENTS_BT601)
        try setMetadata(of: image)
        try check(try convert(bitmap, into: image, hasAlpha: hasAlpha))
        let flags = duration == nil ? AVIF_ADD_IMAGE_FLAG_SINGLE : AVIF_ADD_IMAGE_FLAG_NONE
        try check(libavif.avifEncoderAddImage(encoder, image, UInt64(duration ?? 1), flags.rawValue))
    }

    /// The whole file.
    func finish() throws(CodecError) -> Data {
        var output = avifRWData()
        defer { libavif.avifRWDataFree(&output) }
        try check(libavif.avifEncoderFinish(encoder, &output))
        guard let bytes = output.data else {
            throw .cannotEncode(.avif, reason: "no bytes")
        }
        return try Data.written(bytes, count: output.size)
    }

    private func convert(
        _ bitmap: Bitmap,
        into image: UnsafeMutablePointer<avifImage>,
        hasAlpha: Bool
    ) throws(CodecError) -> avifResult {
        func convert(_ pixels: UnsafeRawBufferPointer, bytesPerRow: Int) -> avifResult {
            var rows = avifRGBImage()
            // libavif only reads them.
            let start = UnsafeMutablePointer(mutating: pixels.assumingMemoryBound(to: UInt8.self).baseAddress)
            halcyon_avif_describe_rgba(&rows, image, start, bytesPerRow, UInt32(bitmap.depth.rawValue))
            rows.ignoreAlpha = hasAlpha ? AVIF_FALSE : AVIF_TRUE
            return libavif.avifImageRGBToYUV(image, &rows)
        }
        guard hasAlpha else {
            return bitmap.withUnsafeBytes { convert($0, bytesPerRow: bitmap.bytesPerRow) }
        }
        let bytesPerRow = bitmap.width * bitmap.bytesPerPixel
        return try bitmap.withPackedSamples(hasAlpha: true) { convert($0, bytesPerRow: bytesPerRow) }
    }

    private func setMetadata(of image: UnsafeMutablePointer<avifImage>) throws(CodecError) {
        let size = PixelSize(Int(image.pointee.width), Int(image.pointee.height))
        guard let metadata = try options.embeddedMetadata(in: .avif, of: size) else {
            return
        }
        try set(metadata.iccProfile) { halcyon_avif_set_icc_profile(image, $0, $1) }
        try set(metadata.xmp) { halcyon_avif_set_xmp(image, $0, $1) }
        try set(metadata.exif) { halcyon_avif_set_exif(image, $0, $1) }
        // libavif takes the others from EXIF.
        if options.orientation == .up { image.pointee.transformFlags = AVIF_TRANSFORM_NONE.rawValue }
    }

    private func set(
        _ data: Data?,
        _ body: (UnsafePointer<UInt8>?, Int) -> avifResult
    ) throws(CodecError) {
        guard let data, !data.isEmpty else {
            return
        }
        try check(data.withUnsafeBytes { body($0.assumingMemoryBound(to: UInt8.self).baseAddress, $0.count) })
    }

    private func check(_ result: avifResult) throws(CodecError) {
        guard result == AVIF_RESULT_OK else {
            let name = libavif.avifResultToString(result).map { String(cString: $0) } ?? "unknown error"
            throw .cannotEncode(.avif, reason: name)
        }
    }
}
