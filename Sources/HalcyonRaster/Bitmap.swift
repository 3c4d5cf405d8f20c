/// Pixels in memory: rows from top to bottom, each of `width` pixels of four samples, in the order red, green, blue,
/// alpha, with the colours multiplied by alpha ("premultiplied"), in sRGB. Samples have 8 bits, or 16 where that was
/// asked for (``depth``); every operation takes and gives either.
///
/// A bitmap is a value. Copies share their buffer until one of them is changed.
public struct Bitmap: Sendable {
    /// Pixels from left to right; at least 1.
    public let width: Int
    /// Pixels from top to bottom; at least 1.
    public let height: Int
    /// Bits of each sample.
    public let depth: SampleDepth
    /// Bytes from the start of a row to the start of the next: at least `bytesPerPixel * width`, a multiple of 64.
    public let bytesPerRow: Int
    /// A Boolean value that indicates whether every pixel is known to have the largest alpha: 255, or 65,535 where
    /// ``depth`` is 16 bits.
    public var isOpaque: Bool

    package var buffer: PixelBuffer

    /// A bitmap whose pixels are all transparent black.
    ///
    /// - Throws: ``BitmapError/invalidSize(_:)`` for a size without pixels or beyond what can be addressed,
    ///   ``BitmapError/outOfMemory(byteCount:)`` where the memory cannot be had.
    public init(size: PixelSize, isOpaque: Bool = false, depth: SampleDepth = .eight) throws(BitmapError) {
        try self.init(uninitialized: size, isOpaque: isOpaque, depth: depth)
        withUnsafeMutableBytes { _ = $0.initializeMemory(as: UInt8.self, repeating: 0) }
    }

    /// A bitmap whose pixels hold arbitrary values, for callers that write every one of them.
    package init(
        uninitialized size: PixelSize,
        isOpaque: Bool,
        depth: SampleDepth = .eight
    ) throws(BitmapError) {
        // Sides are bounded before anything is multiplied: 2^26 pixels a side keep every product below 2^63.
        guard !size.isEmpty, size.width <= 1 << 26, size.height <= 1 << 26 else {
            throw .invalidSize(size)
        }
        width = size.width
        height = size.height
        self.depth = depth
        bytesPerRow = depth.bytesPerRow(width: size.width)
        self.isOpaque = isOpaque
        buffer = try PixelBuffer(byteCount: bytesPerRow * size.height)
    }

    /// The bitmap that a buffer held before: `size`, `isOpaque` and `depth` must be those of that bitmap.
    package init(size: PixelSize, isOpaque: Bool, depth: SampleDepth, buffer: PixelBuffer) {
        width = size.width
        height = size.height
        self.depth = depth
        bytesPerRow = depth.bytesPerRow(width: size.width)
        self.isOpaque = isOpaque
        self.buffer = buffer
        precondition(buffer.byteCount >= bytesPerRow * height, "the buffer belongs to another bitmap")
    }

    /// Width and height.
    public var size: PixelSize { PixelSize(width, height) }

    /// Bytes from a pixel to the next: 4, or 8 where ``depth`` is 16 bits.
    public var bytesPerPixel: Int { depth.bytesPerPixel }

    /// The memory the pixels take.
    public var byteCount: Int { bytesPerRow * height }

    /// Gives access to all rows, padding included: `bytesPerRow * height` bytes.
    public func withUnsafeBytes<Result, Failure: Error>(
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try body(UnsafeRawBufferPointer(start: buffer.pointer, count: byteCount))
    }

    /// Gives access to all rows for writing; copies the pixels first if another bitmap shares them.
    public mutating func withUnsafeMutableBytes<Result, Failure: Error>(
        _ body: (UnsafeMutableRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        if !PixelBuffer.isWritable(&buffer) {
            buffer = buffer.copy()
        }
        return try body(UnsafeMutableRawBufferPointer(start: buffer.pointer, count: byteCount))
    }
}

/// An error in making a bitmap.
public enum BitmapError: Error, Hashable, Sendable, CustomStringConvertible {
    /// A side is zero, negative or longer than 67,108,864 pixels.
    case invalidSize(PixelSize)
    /// The system refused the memory.
    case outOfMemory(byteCount: Int)
    /// The pixels handed over are fewer than the size calls for.
    case tooFewBytes(expected: Int, actual: Int)

    /// A sentence about the failure.
    public var description: String {
        switch self {
        case .invalidSize(let size): "a bitmap of \(size) pixels cannot be made"
        case .outOfMemory(let byteCount): "no memory for a bitmap of \(byteCount) bytes"
        case .tooFewBytes(let expected, let actual):
            "pixels of \(actual) bytes were given where at least \(expected) are needed"
        }
    }
}
