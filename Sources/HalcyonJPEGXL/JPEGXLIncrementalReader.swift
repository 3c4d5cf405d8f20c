internal import CJPEGXLShim
internal import FoundationEssentials
internal import HalcyonCodecs
internal import HalcyonRaster

/// Reads a still JPEG XL while its bytes arrive.
final class JPEGXLIncrementalReader: IncrementalReading {
    /// The fewest bytes that are decoded at a time, as the container is looked through each time.
    private static let minimumSliceByteCount = 1_024
    private static let maximumSliceCount = 64

    private let header: JPEGXLHeader
    private let options: DecodeOptions
    private let depth: SampleDepth
    /// The size of the images, turned.
    private let size: PixelSize
    private let bytesPerRow: Int
    /// The file so far.
    private var bytes: Data
    private var decodedByteCount = 0
    private var isEnded = false
    private let stream: JPEGXLStream
    /// Written to by libjxl alone, and copied to images.
    private let pixels: PixelBuffer
    private var colorProfile: ColorProfile?
    private(set) var progress = IncrementalProgress()

    /// - Parameters:
    ///   - beginning: The file up to the colour space at least.
    ///   - header: The header, for which the limits were checked.
    init(_ beginning: Data, _ header: JPEGXLHeader, options: DecodeOptions) throws {
        self.header = header
        self.options = options
        bytes = beginning
        depth = header.depth(for: options)
        size = options.appliedOrientation(of: header.orientation).displaySize(of: header.size)
        bytesPerRow = depth.bytesPerRow(width: size.width)
        pixels = try PixelBuffer(byteCount: bytesPerRow * size.height)
        pixels.pointer.initializeMemory(as: UInt8.self, repeating: 0, count: pixels.byteCount)
        stream = try JPEGXLStream(
            beginning,
            events: [JXL_DEC_COLOR_ENCODING, JXL_DEC_FRAME_PROGRESSION, JXL_DEC_FULL_IMAGE],
            keepsOrientation: !options.appliesOrientation
        )
    }

    func append(_ bytes: Data) {
        guard !progress.isComplete else { return }
        self.bytes.append(bytes)
    }

    func end() {
        isEnded = true
    }

    func advance(isCancelled: @Sendable () -> Bool) throws -> Bool {
        if bytes.count > decodedByteCount {
            let slice = max(Self.minimumSliceByteCount, bytes.count / Self.maximumSliceCount)
            guard decodedByteCount == 0 || isEnded || bytes.count - decodedByteCount >= slice else { return false }
            try stream.replaceFile(with: bytes)
            decodedByteCount = bytes.count
        }
        do {
            while let status = try stream.next(isCancelled: isCancelled) {
                switch status {
                case JXL_DEC_COLOR_ENCODING:
                    colorProfile = try JPEGXLColor.choose(for: stream.decoder, header.basics, handling: options.color)
                case JXL_DEC_NEED_IMAGE_OUT_BUFFER:
                    let target = UnsafeMutableRawBufferPointer(start: pixels.pointer, count: pixels.byteCount)
                    try stream.setOutput(target, of: size, bytesPerRow: bytesPerRow, depth: depth)
                case JXL_DEC_FRAME_PROGRESSION:
                    progress.passCount += 1
                    progress.coverage = 1
                    return true
                case JXL_DEC_FULL_IMAGE:
                    progress.coverage = 1
                    progress.isComplete = true
                    bytes = Data()
                    return false
                default:
                    break
                }
            }
        } catch CodecError.truncated where !isEnded {
            return false
        }
        throw CodecError.truncated(.jxl)
    }

    func image(isCancelled: @Sendable () -> Bool) throws -> DecodedImage {
        if isCancelled() { throw CancellationError() }
        if !progress.isComplete {
            // Draws what has been read; the pixels that follow are drawn over it.
            guard stream.flush() else {
                throw CodecError.corrupt(.jxl, reason: "a pass")
            }
        }
        var bitmap = try Bitmap.forDecoding(size, isOpaque: true, depth: depth)
        bitmap.isOpaque = try bitmap.withUnsafeMutableBytes { target in
            target.copyMemory(from: UnsafeRawBufferPointer(start: pixels.pointer, count: pixels.byteCount))
            guard header.hasAlpha else { return true }
            return try JPEGXLFrameReader.premultiply(
                target,
                size,
                bytesPerRow,
                header: header,
                depth: depth,
                isCancelled: isCancelled
            )
        }
        return DecodedImage(bitmap: bitmap, info: header.info, options: options, colorProfile: colorProfile)
    }
}
