internal import CJPEGShim
public import FoundationEssentials
public import HalcyonRaster

/// Writes baseline JPEG (ITU-T T.81).
///
/// Colour has half the resolution of brightness (4:2:0) below quality 90, and the full one (4:4:4) from there on.
/// Transparent pixels are laid on ``EncodeOptions/background``. Of ``EncodeOptions/metadata`` the EXIF block and the XMP
/// packet are embedded, and the ``EncodeOptions/colorProfile``.
public struct JPEGEncoder: ImageEncoder {
    /// libjpeg's bound (JPEG_MAX_DIMENSION).
    private static let maximumSideLength = 65_500

    /// A Boolean value that indicates whether Huffman tables are made for each image: a photograph becomes about 1 %
    /// smaller, small and flat images more, and takes 2.5 times as long.
    public let optimizesTables: Bool

    /// An encoder.
    ///
    /// - Parameter optimizesTables: Whether Huffman tables are made for each image. Default: `false`, the tables of
    ///   T.81 annex K.
    public init(optimizesTables: Bool = false) {
        self.optimizesTables = optimizesTables
    }

    /// ``ImageFormat/jpeg``.
    public var format: ImageFormat { .jpeg }

    /// The kind of Huffman tables.
    public var cacheIdentity: String { optimizesTables ? "optimized" : "standard" }

    /// Encodes a bitmap. A quality of `nil` means 100; others are clamped to 1 to 100.
    ///
    /// - Throws: ``CodecError/cannotEncode(_:reason:)`` for sides beyond 65,500 pixels, for metadata longer than the
    ///   format holds (EXIF 65,527 bytes, XMP 65,504, a profile 16 MB), or where memory runs out.
    public func encode(_ bitmap: Bitmap, options: EncodeOptions) throws(CodecError) -> Data {
        guard max(bitmap.width, bitmap.height) <= Self.maximumSideLength else {
            throw .cannotEncode(.jpeg, reason: "\(bitmap.size) pixels; a side can have \(Self.maximumSideLength)")
        }
        let bitmap = try bitmap.withEightBits()
        let segments = try options.embeddedMetadata(in: .jpeg).map(JPEGMetadataSegments.init)
        guard let handle = halcyon_jpeg_encoder_create() else {
            throw .cannotEncode(.jpeg, reason: "out of memory")
        }
        defer { halcyon_jpeg_encoder_destroy(handle) }
        let quality = min(max(options.quality ?? 100, 1), 100)
        try check(
            halcyon_jpeg_encoder_start(
                handle,
                Int32(bitmap.width),
                Int32(bitmap.height),
                Int32(quality),
                quality < 90,
                optimizesTables
            ),
            of: handle
        )
        for segment in segments?.all ?? [] {
            let status = segment.payload.withUnsafeBytes { bytes in
                let start = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self)
                return halcyon_jpeg_encoder_write_segment(handle, UInt8(segment.marker), start, bytes.count)
            }
            try check(status, of: handle)
        }
        try write(bitmap, on: options.background, to: handle)
        var bytes: UnsafePointer<UInt8>?
        var count = 0
        try check(halcyon_jpeg_encoder_finish(handle, &bytes, &count), of: handle)
        return Data(UnsafeBufferPointer(start: bytes, count: count))
    }

    private func write(_ bitmap: Bitmap, on background: Color, to handle: OpaquePointer) throws(CodecError) {
        if bitmap.isOpaque {
            return try writeRows(of: bitmap, count: bitmap.height, to: handle)
        }
        var background = background
        background.alpha = 1
        var strip = try Self.strip(width: bitmap.width)
        for row in stride(from: 0, to: bitmap.height, by: strip.height) {
            strip.fill(PixelRect(size: strip.size), with: background)
            strip.draw(bitmap, at: PixelPoint(0, -row))
            try writeRows(of: strip, count: min(strip.height, bitmap.height - row), to: handle)
        }
    }

    /// Rows of a transparent bitmap are composited in groups, so that no second bitmap of its size is needed.
    private static func strip(width: Int) throws(CodecError) -> Bitmap {
        do {
            return try Bitmap(size: PixelSize(width, 16), isOpaque: true)
        } catch {
            throw .bitmap(error)
        }
    }

    private func writeRows(of bitmap: Bitmap, count: Int, to handle: OpaquePointer) throws(CodecError) {
        let status = bitmap.withUnsafeBytes { pixels in
            let rows = pixels.baseAddress?.assumingMemoryBound(to: UInt8.self)
            return halcyon_jpeg_encoder_write_rows(handle, rows, bitmap.bytesPerRow, Int32(count))
        }
        try check(status, of: handle)
    }

    private func check(_ status: HalcyonJPEGStatus, of handle: OpaquePointer) throws(CodecError) {
        if status != HALCYON_JPEG_OK {
            throw .cannotEncode(.jpeg, reason: String(cString: halcyon_jpeg_encoder_message(handle)))
        }
    }
}
