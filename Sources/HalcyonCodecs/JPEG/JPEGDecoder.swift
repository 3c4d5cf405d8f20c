public import FoundationEssentials
internal import HalcyonRaster

/// Reads JPEG (ITU-T T.81): baseline, extended and progressive, Huffman and arithmetic coding, 8 bits a sample; grey,
/// YCbCr, RGB, CMYK and YCCK, which become RGB. Lossless, hierarchical and 12-bit files are refused as unsupported.
///
/// With a target size, the picture is decoded at 1/8, 1/4 or 1/2 of its sides, whichever is the smallest that still
/// has twice the target's sides.
public struct JPEGDecoder: ImageDecoder {
    /// Rows between two questions whether decoding is cancelled.
    private static let rowsPerStep = 16
    /// A progressive file of a few kilobytes can hold thousands of empty scans, each of which costs a pass over the
    /// whole picture. Encoders write about ten.
    private static let maximumScanCount: Int32 = 500

    /// Rows of units between two questions, at reduced size.
    private static let unitRowsPerStep = 8

    /// Whether baseline files are decoded at 1/8 and 2/8 without libjpeg. Tests hold both against each other.
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

    /// Whether the bytes start with a start of image and another marker.
    public func recognizes(_ prefix: Data) -> Bool {
        ImageFormat.detect(prefix) == .jpeg
    }

    /// Reads the segments before the picture data.
    ///
    /// - Throws: ``CodecError/truncated(_:)`` where the bytes end before the frame header,
    ///   ``CodecError/corrupt(_:reason:)``, ``CodecError/unsupported(_:reason:)`` where the file does not say its height.
    public func info(of data: Data, limits: DecodeLimits) throws(CodecError) -> ImageInfo {
        guard !data.isEmpty else {
            throw .empty
        }
        return try JPEGHeader(parsing: data).info
    }

    /// Decodes the picture.
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
        try options.limits.check(header.size, of: .jpeg)
        let orientation = options.appliesOrientation ? header.orientation : .up
        // The target is meant for the picture that is handed out; the stored one may be turned.
        let target = orientation.swapsSides ? options.targetSize?.transposed : options.targetSize
        let scale = JPEGScale(of: header.size, serving: target)
        let bitmapByteCount = scale.size.bitmapByteCount
        let coefficientByteCount = header.hasMultipleScans ? header.coefficientByteCount : 0
        try options.limits.checkMemory(
            bitmapByteCount,
            orientation == .up ? 0 : bitmapByteCount,
            coefficientByteCount,
            of: .jpeg
        )
        let bitmap = try data.withUnsafeBytes { bytes in
            if let bitmap = try reduced(bytes, data, header: header, scale: scale, isCancelled: isCancelled) {
                return bitmap
            }
            let decompressor = try JPEGDecompressor(
                bytes,
                scale: scale,
                memoryLimit: coefficientByteCount + header.workingByteCount,
                maximumScanCount: Self.maximumScanCount
            )
            return try Self.pixels(from: decompressor, isCancelled: isCancelled)
        }
        return DecodedImage(
            bitmap: try bitmap.oriented(orientation),
            info: header.info,
            fullSize: orientation.displaySize(of: header.size)
        )
    }

    /// The picture as our own decoder reads it, or `nil` for what is libjpeg's.
    private func reduced(
        _ bytes: UnsafeRawBufferPointer,
        _ data: Data,
        header: JPEGHeader,
        scale: JPEGScale,
        isCancelled: () -> Bool
    ) throws -> Bitmap? {
        guard usesReducer, scale.eighths <= 2, let reducer = JPEGReducer(),
            reducer.open(bytes, data, header: header, scale: scale), reducer.size == scale.size
        else {
            return nil
        }
        var bitmap = try Bitmap.forDecoding(scale.size, isOpaque: true)
        var rowCount = 0
        while rowCount < bitmap.height {
            try Self.throwIfCancelled(isCancelled)
            guard let count = reducer.decode(Self.unitRowsPerStep, into: &bitmap) else {
                return nil
            }
            rowCount = count
        }
        return bitmap
    }

    private static func pixels(
        from decompressor: borrowing JPEGDecompressor,
        isCancelled: () -> Bool
    ) throws -> Bitmap {
        if decompressor.hasMultipleScans {
            repeat {
                try throwIfCancelled(isCancelled)
            } while try !decompressor.absorb(rowsPerStep)
        }
        var bitmap = try Bitmap.forDecoding(decompressor.size, isOpaque: true)
        let (height, bytesPerRow) = (bitmap.height, bitmap.bytesPerRow)
        try bitmap.withUnsafeMutableBytes { pixels in
            for row in stride(from: 0, to: height, by: rowsPerStep) {
                try throwIfCancelled(isCancelled)
                let count = min(rowsPerStep, height - row)
                let rows = UnsafeMutableRawBufferPointer(rebasing: pixels[(row * bytesPerRow)...])
                try decompressor.read(count, into: rows, bytesPerRow: bytesPerRow)
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

extension JPEGHeader {
    var info: ImageInfo {
        ImageInfo(
            format: .jpeg,
            size: size,
            orientation: orientation,
            bitDepth: precision,
            colorSpace: colorSpace
        )
    }
}
