internal import CJPEGShim
public import FoundationEssentials
public import HalcyonRaster

/// Writes baseline JPEG (ITU-T T.81) with optimised Huffman tables.
///
/// Colour has half the resolution of brightness (4:2:0) below quality 90, and the full one (4:4:4) from there on.
/// Transparent pixels are laid on ``EncodeOptions/background``.
public struct JPEGEncoder: ImageEncoder {
    /// libjpeg's bound (JPEG_MAX_DIMENSION).
    private static let maximumSideLength = 65_500

    /// An encoder.
    public init() {}

    /// ``ImageFormat/jpeg``.
    public var format: ImageFormat { .jpeg }

    /// Encodes a bitmap. A quality of `nil` means 100; others are clamped to 1 to 100.
    ///
    /// - Throws: ``CodecError/cannotEncode(_:reason:)`` for sides beyond 65,500 pixels or where memory runs out.
    public func encode(_ bitmap: Bitmap, options: EncodeOptions) throws(CodecError) -> Data {
        guard max(bitmap.width, bitmap.height) <= Self.maximumSideLength else {
            throw .cannotEncode(.jpeg, reason: "\(bitmap.size) pixels; a side can have \(Self.maximumSideLength)")
        }
        guard let handle = halcyon_jpeg_encoder_create() else {
            throw .cannotEncode(.jpeg, reason: "out of memory")
        }
        defer { halcyon_jpeg_encoder_destroy(handle) }
        let quality = min(max(options.quality ?? 100, 1), 100)
        try check(
            halcyon_jpeg_encoder_start(handle, Int32(bitmap.width), Int32(bitmap.height), Int32(quality), quality < 90),
            of: handle
        )
        try write(bitmap, on: options.background, to: handle)
        var bytes: UnsafePointer<UInt8>?
        var count = 0
        try check(halcyon_jpeg_encoder_finish(handle, &bytes, &count), of: handle)
        return Data(UnsafeBufferPointer(start: bytes, count: count))
    }

    private func write(_ bitmap: Bitmap, on background: OpaqueColor, to handle: OpaquePointer) throws(CodecError) {
        var composite = CompositeRow(width: bitmap.isOpaque ? 0 : bitmap.width, background: background)
        try bitmap.withUnsafeBytes { (pixels) throws(CodecError) in
            for row in 0..<bitmap.height {
                let source = UnsafeRawBufferPointer(rebasing: pixels[(row * bitmap.bytesPerRow)...])
                let status =
                    if bitmap.isOpaque {
                        Self.writeRow(source, to: handle)
                    } else {
                        composite.withPixels(of: source) { Self.writeRow($0, to: handle) }
                    }
                try check(status, of: handle)
            }
        }
    }

    private static func writeRow(_ row: UnsafeRawBufferPointer, to handle: OpaquePointer) -> HalcyonJPEGStatus {
        halcyon_jpeg_encoder_write_rows(handle, row.baseAddress?.assumingMemoryBound(to: UInt8.self), row.count, 1)
    }

    private func check(_ status: HalcyonJPEGStatus, of handle: OpaquePointer) throws(CodecError) {
        if status != HALCYON_JPEG_OK {
            throw .cannotEncode(.jpeg, reason: String(cString: halcyon_jpeg_encoder_message(handle)))
        }
    }
}
