internal import FoundationEssentials
internal import HalcyonCodecs
internal import HalcyonRaster
internal import HalcyonTesting

/// Red, green, blue and alpha of 8 bits, row by row without padding, not multiplied; black where alpha is 0.
struct StraightPixels: Sendable {
    let size: PixelSize
    private(set) var bytes: [UInt8]

    init(size: PixelSize, bytes: [UInt8]) {
        precondition(bytes.count == size.area * 4, "four bytes a pixel")
        self.size = size
        self.bytes = bytes
        blackenTransparent()
    }

    /// The pixels of a bitmap.
    ///
    /// - Parameter isPremultiplied: Whether the bitmap is as bitmaps usually are; dividing by a partial alpha is not
    ///   exact.
    init(_ bitmap: Bitmap, isPremultiplied: Bool) {
        size = bitmap.size
        guard bitmap.depth == .eight else {
            bytes = Self.highBytes(of: bitmap)
            blackenTransparent()
            return
        }
        if isPremultiplied, !bitmap.isOpaque {
            bytes = bitmap.straightRGBA()
            return
        }
        let (rowByteCount, height, bytesPerRow) = (bitmap.width * 4, bitmap.height, bitmap.bytesPerRow)
        bytes = [UInt8](unsafeUninitializedCapacity: rowByteCount * height) { target, count in
            count = rowByteCount * height
            bitmap.withUnsafeBytes { source in
                guard let target = target.baseAddress, let source = source.baseAddress else { return }
                for y in 0..<height {
                    UnsafeMutableRawPointer(target + y * rowByteCount)
                        .copyMemory(from: source + y * bytesPerRow, byteCount: rowByteCount)
                }
            }
        }
        if !bitmap.isOpaque { blackenTransparent() }
    }

    /// The pixels of a file that a suite comes with, or `nil` if it holds no image.
    ///
    /// - Parameter rawSize: The size of bare samples, which do not tell it. Default: `nil`, not known.
    init?(reference path: String, rawSize: PixelSize? = nil, folder: CorporaFolder, codecs: ImageCodecs) {
        guard let data = try? folder.data(path) else { return nil }
        switch path.split(separator: ".").last {
        case "rgba":
            guard let rawSize, data.count == rawSize.area * 4 else { return nil }
            self.init(size: rawSize, bytes: [UInt8](data))
        case "rgba16le":
            guard let rawSize, data.count == rawSize.area * 8 else { return nil }
            let samples = [UInt8](data)
            self.init(size: rawSize, bytes: stride(from: 1, to: samples.count, by: 2).map { samples[$0] })
        case "png", "gif", "jpg", "bmp":
            var options = DecodeOptions(color: .asStored, appliesOrientation: false)
            options.premultiplies = false
            guard let image = try? codecs.decode(data, options: options) else { return nil }
            self.init(image.bitmap, isPremultiplied: false)
        default:
            return nil
        }
    }

    /// The high bytes of samples of 16 bits, which must not be premultiplied.
    private static func highBytes(of bitmap: Bitmap) -> [UInt8] {
        bitmap.withUnsafeBytes { pixels in
            (0..<bitmap.height).flatMap { y in
                let row = UnsafeRawBufferPointer(rebasing: pixels[(y * bitmap.bytesPerRow)...].prefix(bitmap.width * 8))
                return row.bindMemory(to: UInt16.self).map { UInt8($0 >> 8) }
            }
        }
    }

    /// SHA-256 of the bytes, in hexadecimal digits.
    var hash: String {
        var hash = SHA256()
        hash.update(bytes)
        return hash.finish()
    }

    private mutating func blackenTransparent() {
        bytes.withUnsafeMutableBytes { bytes in
            for offset in stride(from: 0, to: bytes.count, by: 4) where bytes[offset &+ 3] == 0 {
                bytes.storeBytes(of: 0, toByteOffset: offset, as: UInt32.self)
            }
        }
    }
}
