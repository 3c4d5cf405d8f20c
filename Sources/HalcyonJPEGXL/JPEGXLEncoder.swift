public import FoundationEssentials
public import HalcyonCodecs
public import HalcyonRaster

/// Writes JPEG XL (ISO/IEC 18181): lossy with a quality, lossless without one; with alpha where the bitmap has it;
/// still images and animations, of 8 bits a sample or 16 as the bitmap has.
///
/// A quality becomes a distance in the units of Butteraugli: 85 is 1.5, and 90 is 0.8; from 1.0 down a difference can
/// hardly be seen.
public struct JPEGXLEncoder: AnimationEncoder, LibraryCodec {
    /// An encoder.
    public init() {}

    /// ``ImageFormat/jxl``.
    public var format: ImageFormat { .jxl }

    package var library: CodecLibrary { .jpegXL }

    /// Quality and effort.
    public var choices: EncodeChoices { [.quality, .effort] }

    /// Encodes a bitmap. Qualities are clamped to 1 to 100; `nil` means lossless. ``EncodeOptions/colorProfile``
    /// says what the pixels are; without one they are sRGB.
    ///
    /// - Throws: ``CodecError/cannotEncode(_:reason:)`` for a profile that is not one of RGB, or where libjxl's memory runs out;
    ///   ``CodecError/bitmap(_:)`` where that for the pixels cannot be allocated.
    public func encode(_ bitmap: Bitmap, options: EncodeOptions) throws(CodecError) -> Data {
        let writer = try JPEGXLWriter(
            bitmap.size,
            hasAlpha: !bitmap.isOpaque,
            depth: bitmap.depth,
            options: options,
            loopCount: nil
        )
        try writer.add(bitmap, duration: nil, isLast: true)
        return try writer.finish()
    }

    /// Encodes an animation, each frame whole, for 1 ms at least.
    ///
    /// - Throws: ``CodecError/cannotEncode(_:reason:)`` for no frames or frames of different sizes, and as for a still
    ///   image; `CancellationError`.
    public func encode(
        _ frames: [AnimationFrame],
        loopCount: Int,
        options: EncodeOptions,
        isCancelled: @Sendable () -> Bool
    ) throws -> Data {
        guard let first = frames.first else {
            throw CodecError.cannotEncode(.jxl, reason: "an animation without frames")
        }
        guard frames.allSatisfy({ $0.bitmap.size == first.bitmap.size }) else {
            throw CodecError.cannotEncode(.jxl, reason: "frames of different sizes")
        }
        let hasAlpha = frames.contains { !$0.bitmap.isOpaque }
        let isWide = frames.contains { $0.bitmap.depth == .sixteen }
        let writer = try JPEGXLWriter(
            first.bitmap.size,
            hasAlpha: hasAlpha,
            depth: isWide ? .sixteen : .eight,
            options: options,
            loopCount: loopCount
        )
        for (index, frame) in frames.enumerated() {
            if isCancelled() { throw CancellationError() }
            // One of no duration is only drawn on.
            try writer.add(frame.bitmap, duration: max(1, frame.duration), isLast: index == frames.count - 1)
        }
        return try writer.finish()
    }
}
