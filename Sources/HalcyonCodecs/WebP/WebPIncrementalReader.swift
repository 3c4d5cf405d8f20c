internal import CWebP
internal import FoundationEssentials
internal import HalcyonRaster

/// Reads a WebP that is not animated while its bytes arrive, row by row, with libwebp's incremental decoder.
final class WebPIncrementalReader: IncrementalReading {
    /// The fewest bytes that are decoded at a time: a lossless image goes back up to eight rows each time.
    private static let minimumSliceByteCount = 1_024
    private static let maximumSliceCount = 64

    private var header: WebPHeader
    private let appliesOrientation: Bool
    private let maximumFrameCount: Int
    /// A Boolean value that indicates whether all pixels have been decoded.
    private var isDecoded = false
    private let premultiplies: Bool
    /// All bytes: the decoder refers to those that it has not decoded, and goes on wherever they are moved.
    private var bytes: Data
    private var decodedByteCount = 0
    private var isEnded = false
    private var rowCount = 0
    /// Written to by the decoder alone, and copied to images.
    private let pixels: PixelBuffer
    private let bytesPerRow: Int
    private let output: UnsafeMutablePointer<WebPDecBuffer>
    private let decoder: OpaquePointer
    private(set) var progress = IncrementalProgress()

    /// - Parameter beginning: The file up to the size of the image at least, for which the limits were checked.
    init(_ beginning: Data, _ header: WebPHeader, options: DecodeOptions) throws {
        self.header = header
        appliesOrientation = options.appliesOrientation
        maximumFrameCount = options.limits.frameCount
        premultiplies = options.premultiplies
        bytes = beginning
        bytesPerRow = SampleDepth.eight.bytesPerRow(width: header.size.width)
        pixels = try PixelBuffer(byteCount: bytesPerRow * header.size.height)
        output = .allocate(capacity: 1)
        output.initialize(to: WebPDecBuffer())
        guard WebPInitDecBuffer(output) != 0 else {
            output.deallocate()
            throw CodecError.unsupported(.webp, reason: "this version of libwebp")
        }
        output.pointee.colorspace = premultiplies ? MODE_rgbA : MODE_RGBA
        output.pointee.is_external_memory = 1
        output.pointee.u.RGBA.rgba = pixels.pointer.assumingMemoryBound(to: UInt8.self)
        output.pointee.u.RGBA.stride = Int32(bytesPerRow)
        output.pointee.u.RGBA.size = pixels.byteCount
        guard let decoder = WebPINewDecoder(output) else {
            output.deallocate()
            throw CodecError.bitmap(.outOfMemory(byteCount: pixels.byteCount))
        }
        self.decoder = decoder
    }

    deinit {
        WebPIDelete(decoder)
        output.deallocate()
    }

    func append(_ bytes: Data) {
        guard !progress.isComplete else { return }
        self.bytes.append(bytes)
    }

    func end() {
        isEnded = true
    }

    /// libwebp's decoder of bytes that arrive is also that of whole files.
    var matchesWholeDecoding: Bool { true }

    private var orientation: Orientation { appliesOrientation ? header.orientation : .up }

    func advance(isCancelled: @Sendable () -> Bool) throws -> Bool {
        if isCancelled() { throw CancellationError() }
        if isDecoded {
            try finish()
            return false
        }
        let newByteCount = bytes.count - decodedByteCount
        let slice = max(Self.minimumSliceByteCount, bytes.count / Self.maximumSliceCount)
        // The last bytes may be fewer than that.
        let isWhole = try newByteCount > 0 && !WebPChunks(bytes).isCutShort
        guard newByteCount >= slice || isWhole || isEnded else { return false }
        let status = bytes.withUnsafeBytes { bytes in
            WebPIUpdate(decoder, bytes.assumingMemoryBound(to: UInt8.self).baseAddress, bytes.count)
        }
        decodedByteCount = bytes.count
        var lastRow: Int32 = 0
        if WebPIDecGetRGB(decoder, &lastRow, nil, nil, nil) != nil {
            rowCount = max(rowCount, min(Int(lastRow), header.size.height))
        }
        if status == VP8_STATUS_OK { rowCount = header.size.height }
        // A preview that is turned wrongly is worse than none.
        let isTurnKnown = !appliesOrientation || !header.lacksEXIF
        progress.coverage = isTurnKnown ? Double(rowCount) / Double(header.size.height) : 0
        switch status {
        case VP8_STATUS_OK:
            isDecoded = true
            try finish()
        case VP8_STATUS_SUSPENDED, VP8_STATUS_NOT_ENOUGH_DATA:
            if isEnded { throw CodecError.truncated(.webp) }
        default:
            throw WebPStillReader.error(for: status, size: header.size, isCutShort: false)
                ?? .corrupt(.webp, reason: "the image data")
        }
        return false
    }

    /// Reads what stands behind the pixels, once all of it is there.
    private func finish() throws {
        if header.isExtended {
            if !isEnded, try WebPChunks(bytes).isCutShort { return }
            header = try WebPHeader(parsing: bytes, maximumFrameCount: maximumFrameCount)
        }
        progress = IncrementalProgress(coverage: 1, isComplete: true)
        bytes = Data()
    }

    func image(isCancelled: @Sendable () -> Bool) throws -> DecodedImage {
        let isOpaque = progress.isComplete && !header.hasAlpha
        var bitmap = try Bitmap(size: header.size, isOpaque: isOpaque)
        let byteCount = rowCount * bytesPerRow
        bitmap.withUnsafeMutableBytes { target in
            target.copyMemory(from: UnsafeRawBufferPointer(start: pixels.pointer, count: byteCount))
        }
        if isOpaque, header.isLossless {
            // The header's alpha bit is only a hint (RFC 9649 3.4).
            bitmap.isOpaque = !bitmap.containsTransparency()
        }
        return DecodedImage(
            bitmap: try bitmap.upright(orientation),
            info: header.info,
            fullSize: orientation.displaySize(of: header.size),
            colorProfile: header.colorProfile
        )
    }
}
