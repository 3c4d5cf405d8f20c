internal import FoundationEssentials
internal import HalcyonRaster

/// The file header and the header of a BMP to be written.
struct BMPHeaderWriter {
    let bytesPerRow: Int
    let pixelByteCount: Int
    let fileByteCount: Int
    /// Both headers.
    private(set) var data = Data()

    private static let fileHeaderByteCount = 14

    init(_ size: PixelSize, isOpaque: Bool, profileByteCount: Int) throws(CodecError) {
        let hasProfile = profileByteCount > 0
        let headerByteCount = hasProfile ? 124 : isOpaque ? 40 : 108
        // No product overflows: the sides of a bitmap are at most 2^26.
        bytesPerRow = (size.width * (isOpaque ? 24 : 32) + 31) / 32 * 4
        pixelByteCount = bytesPerRow * size.height
        let pixelsOffset = Self.fileHeaderByteCount + headerByteCount
        fileByteCount = pixelsOffset + pixelByteCount + profileByteCount
        guard fileByteCount <= Int(UInt32.max) else {
            throw .cannotEncode(.bmp, reason: "\(size) pixels take more than 4 GiB")
        }
        data.append(contentsOf: Array("BM".utf8))
        append(fileByteCount, 0, pixelsOffset)
        append(headerByteCount, size.width, size.height)
        // One plane, the bits of a pixel, BI_RGB or BI_BITFIELDS.
        append(1 | (isOpaque ? 24 : 32) << 16, isOpaque ? 0 : 3, pixelByteCount)
        // 72 pixels an inch; no palette.
        append(2_835, 2_835, 0, 0)
        guard headerByteCount > 40 else {
            return
        }
        append(isOpaque ? 0 : 0x00ff_0000, isOpaque ? 0 : 0x0000_ff00, isOpaque ? 0 : 0x0000_00ff)
        append(isOpaque ? 0 : 0xff00_0000)
        // "MBED" or "sRGB", then the end points and exponents of calibrated colours, which this is not.
        append(hasProfile ? 0x4d42_4544 : 0x7352_4742)
        append(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)
        if hasProfile {
            // The intent LCS_GM_IMAGES, where the profile is, counted from the header, and a reserved field.
            append(4, headerByteCount + pixelByteCount, profileByteCount, 0)
        }
    }

    private mutating func append(_ numbers: Int...) {
        for number in numbers {
            withUnsafeBytes(of: UInt32(truncatingIfNeeded: number).littleEndian) { data.append(contentsOf: $0) }
        }
    }
}
