import HalcyonRaster

/// Images for tests, the same in every run.
enum TestImages {
    /// An image whose pixels are `pixel(x, y)`, straight RGBA.
    static func bitmap(
        _ width: Int,
        _ height: Int,
        _ pixel: (Int, Int) -> (red: Int, green: Int, blue: Int, alpha: Int)
    ) throws -> Bitmap {
        var bitmap = try Bitmap(size: PixelSize(width, height))
        let bytesPerRow = bitmap.bytesPerRow
        var isOpaque = true
        bitmap.withUnsafeMutableBytes { bytes in
            for y in 0..<height {
                for x in 0..<width {
                    let (red, green, blue, alpha) = pixel(x, y)
                    let place = y * bytesPerRow + 4 * x
                    for (channel, color) in [red, green, blue].enumerated() {
                        bytes[place + channel] = UInt8((color * alpha * 2 + 255) / 510)
                    }
                    bytes[place + 3] = UInt8(alpha)
                    isOpaque = isOpaque && alpha == 255
                }
            }
        }
        bitmap.isOpaque = isOpaque
        return bitmap
    }

    /// Smooth colours with some texture, like a photograph.
    static func photo(_ width: Int, _ height: Int) throws -> Bitmap {
        var random = SeededRandom(seed: 7)
        return try bitmap(width, height) { x, y in
            let noise = Int(random.next() % 9)
            return (
                (x * 200 / width + noise) & 255, (y * 220 / height + noise) & 255,
                (x * y / (width + height) + noise) & 255, 255
            )
        }
    }

    /// Every kind of alpha.
    static func translucent(_ width: Int, _ height: Int) throws -> Bitmap {
        try bitmap(width, height) { x, y in (x * 7 & 255, y * 11 & 255, (x ^ y) * 5 & 255, (x * 13 + y * 3) & 255) }
    }
}
