internal import CDeflate
public import FoundationEssentials
public import HalcyonRaster

/// Writes PNG (W3C PNG, third edition) without loss: RGB where every pixel is opaque, RGBA with straight alpha
/// otherwise, 8 or 16 bits a sample as the bitmap has, marked as sRGB.
///
/// Each row gets the filter whose result has the smallest sum of absolute values (PNG, 12.7).
public struct PNGEncoder: ImageEncoder {
    private static let compressionLevel: Int32 = 6

    /// An encoder; it has no settings.
    public init() {}

    /// PNG.
    public var format: ImageFormat { .png }

    /// Encodes a bitmap; ``EncodeOptions/quality`` means nothing here.
    ///
    /// Takes about twice the memory of the bitmap.
    ///
    /// - Throws: ``CodecError/cannotEncode(_:reason:)`` for a picture whose data would not fit into one chunk of 2^31
    ///   bytes, ``CodecError/bitmap(_:)`` where the memory cannot be had.
    public func encode(_ bitmap: Bitmap, options: EncodeOptions) throws(CodecError) -> Data {
        let rows: PNGFilteredRows
        do {
            rows = try PNGFilteredRows(bitmap)
        } catch {
            throw .bitmap(error)
        }
        var writer = PNGChunkWriter()
        var header: [UInt8] = []
        header.append(bigEndian: UInt32(truncatingIfNeeded: bitmap.width))
        header.append(bigEndian: UInt32(truncatingIfNeeded: bitmap.height))
        let colorType: PNGHeader.ColorType = rows.hasAlpha ? .rgba : .rgb
        header += [UInt8(bitmap.depth.rawValue), colorType.rawValue, 0, 0, 0]
        writer.append(.imageHeader, header)
        // Perceptual, as for photographs.
        writer.append(.standardColor, [0])
        writer.append(.imageData, try compress(rows))
        writer.append(.imageEnd, [])
        return writer.data
    }

    private func compress(_ rows: PNGFilteredRows) throws(CodecError) -> [UInt8] {
        guard let compressor = libdeflate_alloc_compressor(PNGEncoder.compressionLevel) else {
            throw .bitmap(.outOfMemory(byteCount: 1 << 20))
        }
        defer { libdeflate_free_compressor(compressor) }
        let bound = libdeflate_zlib_compress_bound(compressor, rows.byteCount)
        guard bound <= Int(Int32.max) else {
            throw .cannotEncode(.png, reason: "the picture is too large for one IDAT chunk")
        }
        return [UInt8](unsafeUninitializedCapacity: bound) { output, count in
            count = libdeflate_zlib_compress(
                compressor,
                rows.buffer.pointer,
                rows.byteCount,
                output.baseAddress,
                bound
            )
        }
    }
}

/// Puts chunks one behind the other, each with its length and checksum.
struct PNGChunkWriter {
    private(set) var data = Data(PNGChunkReader.signature)

    mutating func append(_ type: PNGChunkType, _ payload: [UInt8]) {
        var head: [UInt8] = []
        head.append(bigEndian: UInt32(payload.count))
        head.append(bigEndian: type.rawValue)
        data.append(contentsOf: head)
        data.append(contentsOf: payload)
        let name = Array(head[4...])
        let checksum = libdeflate_crc32(libdeflate_crc32(0, name, name.count), payload, payload.count)
        var tail: [UInt8] = []
        tail.append(bigEndian: checksum)
        data.append(contentsOf: tail)
    }
}

extension [UInt8] {
    fileprivate mutating func append(bigEndian value: UInt32) {
        Swift.withUnsafeBytes(of: value.bigEndian) { append(contentsOf: $0) }
    }
}
