internal import CAVIF
public import FoundationEssentials
public import HalcyonRaster

/// Writes AVIF by libavif and libaom: stills and animations of 8 bits, with alpha where the bitmap has it.
///
/// Qualities from 100 to 1 become libaom's quantizers from 0 to 62, `(100 - quality) × 63 / 100`, as libavif 1.0 and
/// Pillow map them. Without a quality, pixels are kept as they are (the straight ones, of bitmaps with alpha).
public struct AVIFEncoder: ImageEncoder {
    /// 65,536, what a size in AV1 can say.
    static let maximumSideLength = 1 << 16

    let speed: Int
    let chromaSampling: ChromaSampling
    let threadCount: Int

    /// An encoder.
    ///
    /// - Parameters:
    ///   - speed: 0 (smallest files, minutes an image) to 10 (fastest). Default: 6.
    ///   - chromaSampling: How much of the colours is kept; everything where no quality is given. Default:
    ///     ``ChromaSampling/yuv420``.
    ///   - threadCount: Threads that may work on one image. Default: 1.
    public init(speed: Int = 6, chromaSampling: ChromaSampling = .yuv420, threadCount: Int = 1) {
        self.speed = min(max(speed, 0), 10)
        self.chromaSampling = chromaSampling
        self.threadCount = max(1, threadCount)
    }

    /// ``ImageFormat/avif``.
    public var format: ImageFormat { .avif }

    /// The speed, the resolution of colours, and the number of threads.
    public var cacheIdentity: String { "\(speed) \(chromaSampling) \(threadCount)" }

    /// Encodes a bitmap. Qualities are clamped to 1 to 100; `nil` means lossless.
    ///
    /// - Throws: ``CodecError/cannotEncode(_:reason:)`` for sides beyond 65,536 pixels, for EXIF that is none, or where
    ///   libavif fails.
    public func encode(_ bitmap: Bitmap, options: EncodeOptions) throws(CodecError) -> Data {
        let writer = try AVIFWriter(self, options: options)
        try writer.add(bitmap, hasAlpha: !bitmap.isOpaque, duration: nil)
        return try writer.finish()
    }
}
