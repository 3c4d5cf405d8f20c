internal import FoundationEssentials
internal import HalcyonCodecs
internal import HalcyonRaster

/// What the contenders of a case read: a file, or premultiplied pixels of four samples without padding.
struct PixelInput {
    let path: String
    let format: ImageFormat
    /// Of the image.
    let size: PixelSize
    /// Whether the pixels are bare.
    let isRaw: Bool

    /// The words that a contender's program is started with.
    var words: [String] {
        [path, format.rawValue, "\(size.width)", "\(size.height)", isRaw ? "raw" : "file"]
    }

    init?(_ words: [String]) {
        guard words.count == 5, let width = Int(words[2]), let height = Int(words[3]) else { return nil }
        path = words[0]
        format = ImageFormat(rawValue: words[1])
        size = PixelSize(width, height)
        isRaw = words[4] == "raw"
    }

    init(path: String, format: ImageFormat, size: PixelSize, isRaw: Bool) {
        self.path = path
        self.format = format
        self.size = size
        self.isRaw = isRaw
    }

    func bytes() throws -> Data {
        try Data(contentsOf: URL(filePath: path))
    }

    /// The bare pixels as a bitmap.
    func bitmap() throws -> Bitmap {
        let bytes = try bytes()
        guard isRaw, bytes.count == size.area * 4 else { throw BenchmarkError("\(path) holds no pixels") }
        let isOpaque = !stride(from: 3, to: bytes.count, by: 4).contains { bytes[$0] != 255 }
        var bitmap = try Bitmap(size: size, isOpaque: isOpaque)
        let (rowByteCount, bytesPerRow) = (size.width * 4, bitmap.bytesPerRow)
        bitmap.withUnsafeMutableBytes { pixels in
            for y in 0..<size.height {
                let row = pixels[(y * bytesPerRow)...].prefix(rowByteCount)
                UnsafeMutableRawBufferPointer(rebasing: row).copyBytes(
                    from: bytes[(y * rowByteCount)..<((y + 1) * rowByteCount)]
                )
            }
        }
        return bitmap
    }
}
