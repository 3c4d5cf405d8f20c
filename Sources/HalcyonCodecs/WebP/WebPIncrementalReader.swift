internal import CWebP
internal import FoundationEssentials
internal import HalcyonRaster

/// Reads a WebP that is not animated while its bytes arrive, row by row, with libwebp's incremental decoder.
final class WebPIncrementalReader: IncrementalReading {
    /// The fewest bytes that are decoded at a time: a lossless image goes back up to eight rows each time.
    private static let minimumSliceByteCount = 1_024
    private static let maximumSliceCount = 64

    private var header: WebPHeader
    private let options: DecodeOptions
    private let maximumFrameCount: Int
    /// A Boolean value that indicates whether all pixels have been decoded.
    private var isDecoded = false
    private let premultiplies: Bool
    /// All bytes of the file.
    private var bytes: Data
    /// The chunks of the image, as far as they are there: the decoder refers to those bytes that it has not decoded, and
    /// goes on wherever they are moved.
    private var input: Data
    /// The bytes of ``input`` once all of them are there.
    private let inputByteCount: Int
    /// The bytes of the file up to the end of ``input``.
    private var takenByteCount: Int
    private var decodedByteCount = 0
    private var isEnded = false
    private var rowCount = 0
    private let isImageOpaque: Bool
    private let isLossless: Bool
    /// Written to by the decoder alone, and copied to images.
    private let pixels: PixelBuffer
    private let bytesPerRow: Int
    private let output: UnsafeMutablePointer<WebPDecBuffer>
    private let decoder: OpaquePointer
    private(set) var progress = IncrementalProgress()

    /// - Parameters:
    ///   - beginning: The file up to the size of the image at least.
    ///   - header: Its header.
    ///   - image: The image, for whose size the limits were checked.
    init(_ beginning: Data, _ header: WebPHeader, _ image: WebPBitstream, options: DecodeOptions) throws {
        self.header = header
        self.options = options
        maximumFrameCount = options.limits.frameCount
        premultiplies = options.premultiplies
        bytes = beginning
        input = image.file
        inputByteCount = input.count - image.payload.count + image.byteCount
        takenByteCount = image.payload.endIndex - beginning.startIndex
        isImageOpaque = !image.hasAlpha
        isLossless = image.isLossless
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

    private var orientation: Orientation { options.appliedOrientation(of: header.orientation) }

    func advance(isCancelled: @Sendable () -> Bool) throws -> Bool {
        if isCancelled() { throw CancellationError() }
        if isDecoded {
            try finish()
            return false
        }
        takeInput()
        let newByteCount = input.count - decodedByteCount
        let slice = max(Self.minimumSliceByteCount, input.count / Self.maximumSliceCount)
        // The last bytes may be fewer than that.
        let isWhole = newByteCount > 0 && input.count == inputByteCount
        guard newByteCount >= slice || isWhole || isEnded else { return false }
        let status = input.withUnsafeBytes { bytes in
            WebPIUpdate(decoder, bytes.assumingMemoryBound(to: UInt8.self).baseAddress, bytes.count)
        }
        decodedByteCount = input.count
        rowCount = max(rowCount, try WebPStillReader.rowCount(of: decoder, header.size))
        // A preview that is turned wrongly is worse than none.
        let isTurnKnown = !options.appliesOrientation || !header.lacksEXIF
        progress.coverage = isTurnKnown ? Double(rowCount) / Double(header.size.height) : 0
        switch status {
        case VP8_STATUS_OK where rowCount == header.size.height:
            isDecoded = true
            input = Data()
            try finish()
        case VP8_STATUS_SUSPENDED, VP8_STATUS_NOT_ENOUGH_DATA:
            if isEnded { throw CodecError.truncated(.webp) }
        default:
            throw WebPStillReader.error(for: status, size: header.size, isCutShort: false)
        }
        return false
    }

    /// Adds those bytes to the input that have arrived since.
    private func takeInput() {
        let count = min(bytes.count - takenByteCount, inputByteCount - input.count)
        guard count > 0 else { return }
        let start = bytes.startIndex + takenByteCount
        input.append(bytes[start..<start + count])
        takenByteCount += count
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
        let isOpaque = progress.isComplete && isImageOpaque
        var bitmap = try Bitmap(size: header.size, isOpaque: isOpaque)
        let byteCount = rowCount * bytesPerRow
        bitmap.withUnsafeMutableBytes { target in
            target.copyMemory(from: UnsafeRawBufferPointer(start: pixels.pointer, count: byteCount))
        }
        if isOpaque, isLossless {
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
