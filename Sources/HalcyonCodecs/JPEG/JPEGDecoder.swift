public import FoundationEssentials
internal import HalcyonRaster

/// Reads JPEG (ITU-T T.81): baseline, extended and progressive, Huffman and arithmetic coding, 8 bits a sample; grey,
/// YCbCr, RGB, CMYK and YCCK, which become RGB. Lossless, hierarchical and 12-bit files are refused as unsupported.
///
/// Four inks count as stored inverted, whether or not the segment of Adobe's programs is there, as in browsers. A wrong
/// Huffman code or restart marker spoils the blocks around it, and what is missing is grey, if a row of blocks is there;
/// ``DecodedImage/isPartial`` says so. With ``DamageHandling/isRefused``, an image of which a part is missing or spoiled
/// is an error. So is one with more scans than images have; otherwise, those that are too many are left out.
///
/// With a target size, the image is decoded at 1/8, 1/4 or 1/2 of its sides, whichever is the smallest that still
/// has twice the target's sides; or the target's, where the image is beyond ``DecodeOptions/largestByteCount`` or
/// ``DecodeOptions/largestSideLength``.
public struct JPEGDecoder: ImageDecoder, ConfinableDecoder {
    /// Rows between two questions whether decoding is cancelled.
    static let rowsPerStep = 16
    /// A progressive file of a few kilobytes can hold thousands of empty scans, each of which costs a pass over the
    /// whole image. Encoders write about ten.
    static let maximumScanCount: Int32 = 500

    /// A Boolean value that indicates whether baseline files are decoded at 1/8, 2/8 and 4/8 without libjpeg. Tests
    /// hold both against each other.
    private let usesReducer: Bool

    /// A decoder.
    public init() {
        self.init(usesReducer: true)
    }

    init(usesReducer: Bool) {
        self.usesReducer = usesReducer
    }

    /// ``ImageFormat/jpeg``.
    public var format: ImageFormat { .jpeg }

    package var confinement: DecoderConfinement { .library }

    /// Returns whether the bytes start with a start of image and another marker.
    public func recognizes(_ prefix: Data) -> Bool {
        ImageFormat.detect(prefix) == .jpeg
    }

    /// Reads the segments before the image data.
    ///
    /// - Throws: ``CodecError/truncated(_:)`` where the bytes end before the frame header,
    ///   ``CodecError/corrupt(_:reason:)``, ``CodecError/unsupported(_:reason:)`` where the file does not say its
    ///   height.
    public func info(of data: Data, limits: DecodeLimits) throws(CodecError) -> ImageInfo {
        guard !data.isEmpty else {
            throw .empty
        }
        return try JPEGHeader(parsing: data).info
    }

    /// Reads the EXIF block, the XMP packet, as far as it lies in one segment, and the ICC profile.
    ///
    /// - Throws: as ``info(of:limits:)`` does.
    public func metadata(of data: Data) throws(CodecError) -> ImageMetadata {
        guard !data.isEmpty else {
            throw .empty
        }
        let header = try JPEGHeader(parsing: data)
        return ImageMetadata(
            exif: try .written(copying: header.exif),
            xmp: try .written(copying: header.xmp),
            iccProfile: header.profile
        )
    }

    /// Decodes the image, or the thumbnail in its EXIF block where ``DecodeOptions/usesEmbeddedThumbnail`` allows it.
    ///
    /// A thumbnail must have the image's shape, within 3 %, and is turned as the image is. Four inks become sRGB by
    /// their profile where ``DecodeOptions/color`` asks for sRGB; without a profile, and as stored, each of red, green
    /// and blue is the light that its ink and black leave.
    ///
    /// - Parameter isCancelled: Asked between groups of rows; once it says `true`, decoding ends.
    /// - Throws: ``CodecError``, or `CancellationError`.
    public func decode(
        _ data: Data,
        options: DecodeOptions,
        isCancelled: @Sendable () -> Bool
    ) throws -> DecodedImage {
        guard !data.isEmpty else {
            throw CodecError.empty
        }
        let header = try JPEGHeader(parsing: data)
        guard options.frame == 0 else {
            throw CodecError.noSuchFrame(options.frame, frameCount: 1)
        }
        if let reason = header.unsupportedReason {
            throw CodecError.unsupported(.jpeg, reason: reason)
        }
        let orientation = options.appliedOrientation(of: header.orientation)
        // The target is meant for the image as it is handed out.
        let target = orientation.swapsSides ? options.targetSize?.transposed : options.targetSize
        let (bitmap, isPartial) =
            try thumbnail(of: header, serving: target, options: options, isCancelled: isCancelled).map { ($0, false) }
            ?? pixels(of: data, header, serving: target, options: options, isCancelled: isCancelled)
        return DecodedImage(
            bitmap: try bitmap.upright(orientation),
            info: header.info,
            fullSize: orientation.displaySize(of: header.size),
            colorProfile: header.colorProfile,
            isPartial: isPartial
        )
    }

    /// The embedded thumbnail as stored, or `nil` where there is none that serves, or where it is damaged.
    func thumbnail(
        of header: JPEGHeader,
        serving target: PixelSize?,
        options: DecodeOptions,
        isCancelled: () -> Bool
    ) throws -> Bitmap? {
        guard options.usesEmbeddedThumbnail, let thumbnail = JPEGThumbnail(of: header, serving: target) else {
            return nil
        }
        var options = options
        options.damage = .isRefused
        do {
            return try pixels(
                of: thumbnail.data,
                thumbnail.header,
                serving: target,
                options: options,
                isCancelled: isCancelled
            ).bitmap
        } catch is CodecError {
            return nil
        }
    }

    /// The pixels as stored, and whether some of them are missing.
    private func pixels(
        of data: Data,
        _ header: JPEGHeader,
        serving target: PixelSize?,
        options: DecodeOptions,
        isCancelled: () -> Bool
    ) throws -> (bitmap: Bitmap, isPartial: Bool) {
        let limit = options.bitmapLimit
        let scale = JPEGScale(of: header.size, serving: target, within: limit)
        // An image that is to be scaled down if it is too large counts as large as it is decoded.
        try options.limits.check(limit == nil ? header.size : scale.size, of: .jpeg)
        let bitmapByteCount = scale.size.bitmapByteCount
        let coefficientByteCount = header.hasMultipleScans ? header.coefficientByteCount : 0
        try options.limits.checkMemory(
            bitmapByteCount,
            options.appliedOrientation(of: header.orientation) == .up ? 0 : bitmapByteCount,
            coefficientByteCount,
            of: .jpeg
        )
        return try data.withUnsafeBytes { bytes in
            if usesReducer, scale.eighths <= 4,
                var bitmap = try JPEGReducer.bitmap(
                    bytes,
                    data,
                    header: header,
                    scale: scale,
                    isCancelled: isCancelled
                )
            {
                bitmap.partialEdges = scale.partialEdges
                return (bitmap, false)
            }
            let inks = options.convertsInks ? header.inkProfile.flatMap { ColorSpaceConversion.cached(for: $0) } : nil
            let decompressor = try JPEGDecompressor(
                bytes,
                scale: scale,
                keepsInks: inks != nil,
                toleratesLoss: options.damage == .showsWhatIsThere,
                memoryLimit: coefficientByteCount + header.workingByteCount,
                maximumScanCount: Self.maximumScanCount
            )
            var bitmap = try Self.pixels(from: decompressor, inks: inks, isCancelled: isCancelled)
            bitmap.partialEdges = scale.partialEdges
            return (bitmap, decompressor.hasLostData)
        }
    }

    private static func pixels(
        from decompressor: borrowing JPEGDecompressor,
        inks: ColorSpaceConversion?,
        isCancelled: () -> Bool
    ) throws -> Bitmap {
        if decompressor.hasMultipleScans {
            repeat {
                try throwIfCancelled(isCancelled)
            } while try !decompressor.absorb(rowsPerStep)
        }
        var bitmap = try Bitmap.forDecoding(decompressor.size, isOpaque: true)
        let (width, height, bytesPerRow) = (bitmap.width, bitmap.height, bitmap.bytesPerRow)
        try bitmap.withUnsafeMutableBytes { pixels in
            for row in stride(from: 0, to: height, by: rowsPerStep) {
                try throwIfCancelled(isCancelled)
                let count = min(rowsPerStep, height - row)
                let rows = UnsafeMutableRawBufferPointer(rebasing: pixels[(row * bytesPerRow)...])
                try decompressor.read(count, into: rows, bytesPerRow: bytesPerRow)
                if let inks, let start = rows.assumingMemoryBound(to: UInt8.self).baseAddress {
                    for index in 0..<count { inks.convert(start + index * bytesPerRow, count: width) }
                }
            }
        }
        return bitmap
    }

    private static func throwIfCancelled(_ isCancelled: () -> Bool) throws {
        if isCancelled() {
            throw CancellationError()
        }
    }
}
