internal import CJPEGShim
public import FoundationEssentials
public import HalcyonRaster

/// Writes JPEG (ITU-T T.81): baseline, or progressive with ``EncodeOptions/isProgressive``; shades of grey as one
/// component, unless a profile of red, green and blue is embedded.
///
/// Colour has half the resolution of brightness (4:2:0) below quality 90, and the full one (4:4:4) from there on, unless
/// ``EncodeOptions/chromaSampling`` says otherwise. Transparent pixels are laid on ``EncodeOptions/background``. Of
/// ``EncodeOptions/metadata`` the EXIF block and the XMP packet are embedded, and the ``EncodeOptions/colorProfile``.
///
/// Huffman tables are made for each image, from all of its rows where they are few, and else from some of them: at quality
/// 85 a photograph becomes about 0.7 % smaller, a flat image up to a fifth, and one of 2 megapixels takes 11 % longer. An
/// ``EncodeOptions/effort`` from 7 on makes them from all rows (1.4 % smaller, in 2.5 times the time); with 1 they are
/// those of T.81 annex K.
public struct JPEGEncoder: ImageEncoder {
    /// libjpeg's bound (JPEG_MAX_DIMENSION).
    private static let maximumSideLength = 65_500

    /// An encoder; it has no settings.
    public init() {}

    /// ``ImageFormat/jpeg``.
    public var format: ImageFormat { .jpeg }

    /// Quality, effort and progressive order.
    public var choices: EncodeChoices { [.quality, .effort, .progressiveOrder] }

    /// Encodes a bitmap. A quality of `nil` means 100; others are clamped to 1 to 100.
    ///
    /// - Throws: ``CodecError/cannotEncode(_:reason:)`` for sides beyond 65,500 pixels, for metadata longer than the
    ///   format holds (EXIF 65,527 bytes, XMP 65,504, a profile 16 MB), or where memory runs out.
    public func encode(_ bitmap: Bitmap, options: EncodeOptions) throws(CodecError) -> Data {
        guard max(bitmap.width, bitmap.height) <= Self.maximumSideLength else {
            throw .cannotEncode(.jpeg, reason: "\(bitmap.size) pixels; a side can have \(Self.maximumSideLength)")
        }
        let metadata = try options.embeddedMetadata(in: .jpeg, of: bitmap.size)
        let segments = try metadata.map(JPEGMetadataSegments.init)?.all ?? []
        let rows = try JPEGRows(bitmap.withEightBits(), on: options.background)
        var settings = HalcyonJPEGSettings()
        settings.width = Int32(bitmap.width)
        settings.quality = Int32(options.clampedQuality ?? 100)
        settings.is_gray = metadata?.iccProfile == nil && rows.areGray
        settings.subsamples_chroma = options.effectiveChromaSampling == .yuv420
        settings.is_progressive = options.isProgressive
        let strips = JPEGStrips(height: bitmap.height, subsamplesChroma: settings.subsamples_chroma)
        let effort = options.effort ?? 5
        let takesSample = strips.areMany && (2...6).contains(effort) && !options.isProgressive
        var sample: JPEGCompressor?
        if takesSample {
            settings.optimizes_tables = true
            settings.height = Int32(strips.sampled.reduce(0) { $0 + $1.count })
            let compressor = try JPEGCompressor(settings)
            for strip in strips.sampled { try compressor.write(rows, strip) }
            _ = try compressor.finish()
            sample = compressor
        }
        settings.optimizes_tables = effort > 1 && !takesSample
        settings.height = Int32(bitmap.height)
        let compressor = try JPEGCompressor(settings, tablesOf: sample)
        for segment in segments { try compressor.write(segment) }
        try compressor.write(rows, 0..<bitmap.height)
        return try compressor.finish()
    }
}

/// The rows of blocks of an image, of which a few stand for all.
private struct JPEGStrips {
    /// From so many on, tables of a few serve nearly as well as those of all.
    private static let manyCount = 9
    /// One of so many is looked at, and four at least.
    private static let (distance, leastSampleCount) = (24, 4)

    private let height: Int
    private let stripHeight: Int

    init(height: Int, subsamplesChroma: Bool) {
        self.height = height
        stripHeight = subsamplesChroma ? 16 : 8
    }

    private var count: Int { (height + stripHeight - 1) / stripHeight }

    var areMany: Bool { count >= Self.manyCount }

    /// The rows of pixels of some strips, evenly over the image; none is the last strip, which may be lower.
    var sampled: [Range<Int>] {
        let sampleCount = max(Self.leastSampleCount, count / Self.distance)
        return (0..<sampleCount).map { number in
            let first = (2 * number + 1) * count / (2 * sampleCount) * stripHeight
            return first..<min(first + stripHeight, height)
        }
    }
}
