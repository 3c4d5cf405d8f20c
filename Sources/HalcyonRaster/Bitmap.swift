/// Pixels in memory: rows from top to bottom, each of `width` pixels of four samples, in the order red, green, blue,
/// alpha, with the colours multiplied by alpha ("premultiplied"), in sRGB. Samples have 8 bits, or 16 where that was
/// asked for (``depth``); every operation takes and gives either.
///
/// A bitmap is a value. Copies share their buffer until one of them is changed.
public struct Bitmap: Sendable {
    /// The number of pixels from left to right; at least 1.
    public let width: Int
    /// The number of pixels from top to bottom; at least 1.
    public let height: Int
    /// The number of bits of each sample.
    public let depth: SampleDepth
    /// The bytes from the start of a row to the start of the next: at least `bytesPerPixel * width`, a multiple of 64.
    public let bytesPerRow: Int
    /// A Boolean value that indicates whether every pixel is known to have the largest alpha: 255, or 65,535 where
    /// ``depth`` is 16 bits.
    public var isOpaque: Bool

    /// The parts of the outermost pixels that are none of the image, which a decoder has reduced. Default: none.
    package var partialEdges = PartialEdges.none

    package var buffer: PixelBuffer

    /// Creates a bitmap whose pixels are all transparent black.
    ///
    /// - Throws: ``BitmapError/invalidSize(_:)`` for a size without pixels or beyond what can be addressed,
    ///   ``BitmapError/outOfMemory(byteCount:)`` where the memory cannot be allocated.
    public init(size: PixelSize, isOpaque: Bool = false, depth: SampleDepth = .eight) throws(BitmapError) {
        try self.init(uninitialized: size, isOpaque: isOpaque, depth: depth)
        withUnsafeMutableBytes { _ = $0.initializeMemory(as: UInt8.self, repeating: 0) }
    }

    /// Creates a bitmap whose pixels hold arbitrary values, for callers that write every one of them.
    package init(
        uninitialized size: PixelSize,
        isOpaque: Bool,
        depth: SampleDepth = .eight
    ) throws(BitmapError) {
        // Sides are bounded before anything is multiplied: 2^26 pixels a side keep every product below 2^63.
        guard size.isBitmapSize else { throw .invalidSize(size) }
        width = size.width
        height = size.height
        self.depth = depth
        bytesPerRow = depth.bytesPerRow(width: size.width)
        self.isOpaque = isOpaque
        buffer = try PixelBuffer(byteCount: bytesPerRow * size.height)
    }

    /// Creates the bitmap that a buffer held before: `size`, `isOpaque` and `depth` must be those of that bitmap.
    package init(size: PixelSize, isOpaque: Bool, depth: SampleDepth, buffer: PixelBuffer) {
        width = size.width
        height = size.height
        self.depth = depth
        bytesPerRow = depth.bytesPerRow(width: size.width)
        self.isOpaque = isOpaque
        self.buffer = buffer
        precondition(buffer.byteCount >= bytesPerRow * height, "the buffer belongs to another bitmap")
    }

    /// The width and the height.
    public var size: PixelSize { PixelSize(width, height) }

    /// The bytes from a pixel to the next: 4, or 8 where ``depth`` is 16 bits.
    public var bytesPerPixel: Int { depth.bytesPerPixel }

    /// The number of bytes of memory that the pixels take.
    public var byteCount: Int { bytesPerRow * height }

    /// Calls a closure with all rows, padding included: `bytesPerRow * height` bytes.
    public func withUnsafeBytes<Result, Failure: Error>(
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try body(UnsafeRawBufferPointer(start: buffer.pointer, count: byteCount))
    }

    /// Calls a closure with all rows for writing; copies the pixels first if another bitmap shares them.
    public mutating func withUnsafeMutableBytes<Result, Failure: Error>(
        _ body: (UnsafeMutableRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        if !PixelBuffer.isWritable(&buffer) {
            buffer = buffer.copy()
        }
        return try body(UnsafeMutableRawBufferPointer(start: buffer.pointer, count: byteCount))
    }
}

extension PixelSize {
    /// A Boolean value that indicates whether a bitmap, or an image of which a part is made, may have this size.
    var isBitmapSize: Bool { !isEmpty && width <= 1 << 26 && height <= 1 << 26 }
}

/// An error in making a bitmap.
public enum BitmapError: Error, Hashable, Sendable, CustomStringConvertible {
    /// A side is zero, negative or longer than 67,108,864 pixels.
    case invalidSize(PixelSize)
    /// The system refused the memory.
    case outOfMemory(byteCount: Int)
    /// The bytes that were passed are fewer than the size requires.
    case tooFewBytes(expected: Int, actual: Int)

    /// A sentence that describes the failure.
    public var description: String {
        switch self {
        case .invalidSize(let size): "a bitmap of \(size) pixels cannot be made"
        case .outOfMemory(let byteCount): "no memory for a bitmap of \(byteCount) bytes"
        case .tooFewBytes(let expected, let actual):
            "pixels of \(actual) bytes were given where at least \(expected) are needed"
        }
    }
}
