import FoundationEssentials
import HalcyonRaster

@testable import HalcyonCodecs

/// Decodes a file at 1/8, 2/8 or 4/8 by one way or the other.
enum JPEGReduction {
    /// By our own decoder, or `nil` where it leaves the file to libjpeg.
    static func own(_ file: Data, eighths: Int) throws -> Bitmap? {
        let header = try JPEGHeader(parsing: file)
        return try file.withUnsafeBytes { bytes in
            try JPEGReducer.bitmap(
                bytes,
                file,
                header: header,
                scale: scale(of: header.size, eighths),
                isCancelled: { false }
            )
        }
    }

    static func libjpeg(_ file: Data, eighths: Int) throws -> Bitmap {
        let header = try JPEGHeader(parsing: file)
        return try file.withUnsafeBytes { bytes in
            let scale = scale(of: header.size, eighths)
            let decompressor = try JPEGDecompressor(
                bytes,
                scale: scale,
                memoryLimit: header.coefficientByteCount + header.workingByteCount,
                maximumScanCount: 500
            )
            var bitmap = try Bitmap.forDecoding(scale.size, isOpaque: true)
            let (height, bytesPerRow) = (bitmap.height, bitmap.bytesPerRow)
            try bitmap.withUnsafeMutableBytes { pixels in
                try decompressor.read(height, into: pixels, bytesPerRow: bytesPerRow)
            }
            return bitmap
        }
    }

    /// As everybody does.
    static func decode(_ file: Data, eighths: Int, usesReducer: Bool = true, damage: DamageHandling = .isRefused)
        throws -> DecodedImage
    {
        let size = try JPEGHeader(parsing: file).size
        // Half of the scaled size is what that scale serves.
        let target = PixelSize((size.width * eighths + 7) / 16, (size.height * eighths + 7) / 16)
        return try JPEGDecoder(usesReducer: usesReducer).decode(
            file,
            options: DecodeOptions(targetSize: target, appliesOrientation: false, damage: damage),
            isCancelled: { false }
        )
    }

    private static func scale(of size: PixelSize, _ eighths: Int) -> JPEGScale {
        JPEGScale(of: size, eighths: eighths)
    }
}
