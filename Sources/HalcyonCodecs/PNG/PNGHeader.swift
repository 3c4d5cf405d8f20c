internal import HalcyonRaster

/// The IHDR chunk (PNG, 11.2.1) and the sizes that follow from it.
struct PNGHeader: Hashable {
    enum ColorType: UInt8 {
        case gray = 0
        case rgb = 2
        case palette = 3
        case grayAlpha = 4
        case rgba = 6

        var channelCount: Int {
            switch self {
            case .gray, .palette: 1
            case .grayAlpha: 2
            case .rgb: 3
            case .rgba: 4
            }
        }

        var hasAlpha: Bool { self == .grayAlpha || self == .rgba }
    }

    private(set) var size: PixelSize
    let bitDepth: Int
    let colorType: ColorType
    let isInterlaced: Bool

    /// Reads the 13 bytes of the chunk.
    init(_ payload: UnsafeRawBufferPointer) throws(CodecError) {
        guard payload.count == 13 else {
            throw .corrupt(.png, reason: "IHDR has \(payload.count) bytes instead of 13")
        }
        let width = Int(payload.bigEndianUInt32(at: 0))
        let height = Int(payload.bigEndianUInt32(at: 4))
        guard width > 0, height > 0, width <= Int(Int32.max), height <= Int(Int32.max) else {
            throw .corrupt(.png, reason: "IHDR has a size of \(width)×\(height)")
        }
        let depth = Int(payload[8])
        guard let colorType = ColorType(rawValue: payload[9]) else {
            throw .corrupt(.png, reason: "IHDR has the unknown colour type \(payload[9])")
        }
        let depths: [Int] =
            switch colorType {
            case .gray: [1, 2, 4, 8, 16]
            case .palette: [1, 2, 4, 8]
            case .rgb, .grayAlpha, .rgba: [8, 16]
            }
        guard depths.contains(depth) else {
            throw .corrupt(.png, reason: "IHDR has a bit depth of \(depth) with colour type \(colorType.rawValue)")
        }
        guard payload[10] == 0, payload[11] == 0, payload[12] <= 1 else {
            throw .corrupt(.png, reason: "IHDR names an unknown compression, filter or interlace method")
        }
        self.size = PixelSize(width, height)
        self.bitDepth = depth
        self.colorType = colorType
        self.isInterlaced = payload[12] == 1
    }

    /// Returns the header of a frame of this size.
    func ofFrame(_ size: PixelSize) -> PNGHeader {
        var header = self
        header.size = size
        return header
    }

    var bitsPerPixel: Int { bitDepth * colorType.channelCount }

    /// The distance filters look back, in bytes (PNG, 9.2).
    var bytesPerPixel: Int { max(1, bitsPerPixel / 8) }

    /// Bytes of a row of `width` pixels, without its filter type. A width of 31 bits cannot overflow this.
    func rowByteCount(width: Int) -> Int {
        (width * bitsPerPixel + 7) / 8
    }

    /// Bytes of the uncompressed stream of an image of this size, or `Int.max` where they cannot be counted.
    func streamByteCount(of size: PixelSize) -> Int {
        guard isInterlaced else {
            return byteCount(of: size)
        }
        var sum = 0
        for pass in PNGInterlacePass.all {
            let passSize = pass.size(of: size)
            guard !passSize.isEmpty else {
                continue
            }
            let (next, overflows) = sum.addingReportingOverflow(byteCount(of: passSize))
            guard !overflows else {
                return .max
            }
            sum = next
        }
        return sum
    }

    private func byteCount(of size: PixelSize) -> Int {
        let (count, overflows) = size.height.multipliedReportingOverflow(by: rowByteCount(width: size.width) + 1)
        return overflows ? .max : count
    }
}

/// One of the seven passes of an interlaced image (PNG, 8.2): every `columnStep`-th pixel of every `rowStep`-th row.
struct PNGInterlacePass {
    let firstColumn: Int
    let firstRow: Int
    let columnStep: Int
    let rowStep: Int

    static let all = [
        PNGInterlacePass(firstColumn: 0, firstRow: 0, columnStep: 8, rowStep: 8),
        PNGInterlacePass(firstColumn: 4, firstRow: 0, columnStep: 8, rowStep: 8),
        PNGInterlacePass(firstColumn: 0, firstRow: 4, columnStep: 4, rowStep: 8),
        PNGInterlacePass(firstColumn: 2, firstRow: 0, columnStep: 4, rowStep: 4),
        PNGInterlacePass(firstColumn: 0, firstRow: 2, columnStep: 2, rowStep: 4),
        PNGInterlacePass(firstColumn: 1, firstRow: 0, columnStep: 2, rowStep: 2),
        PNGInterlacePass(firstColumn: 0, firstRow: 1, columnStep: 1, rowStep: 2),
    ]

    /// The pixels of this pass; a side may be 0.
    func size(of size: PixelSize) -> PixelSize {
        PixelSize(
            max(0, (size.width - firstColumn + columnStep - 1) / columnStep),
            max(0, (size.height - firstRow + rowStep - 1) / rowStep)
        )
    }
}

extension UnsafeRawBufferPointer {
    /// Four bytes as PNG stores numbers.
    ///
    /// The subscript of this type is unchecked in release builds, so callers make sure that the bytes are there.
    func bigEndianUInt32(at offset: Int) -> UInt32 {
        UInt32(bigEndian: loadUnaligned(fromByteOffset: offset, as: UInt32.self))
    }

    func bigEndianUInt16(at offset: Int) -> UInt16 {
        UInt16(bigEndian: loadUnaligned(fromByteOffset: offset, as: UInt16.self))
    }
}
