import HalcyonRaster

extension Bitmap {
    /// A smooth image that is different in each of its corners; with alpha, transparent at the left and opaque at the
    /// right.
    static func sample(_ size: PixelSize, hasAlpha: Bool = false) throws -> Bitmap {
        var bitmap = try Bitmap(size: size, isOpaque: !hasAlpha)
        for y in 0..<size.height {
            for x in 0..<size.width {
                let alpha = hasAlpha ? x * 255 / max(1, size.width - 1) : 255
                let red = 40 + x * 180 / size.width
                let green = 30 + y * 200 / size.height
                let blue = (x + y) * 255 / (size.width + size.height)
                bitmap[x, y] = [red, green, blue].map { UInt8($0 * alpha / 255) } + [UInt8(alpha)]
            }
        }
        return bitmap
    }

    /// The four samples of a pixel.
    subscript(x: Int, y: Int) -> [UInt8] {
        get { withUnsafeBytes { Array($0[y * bytesPerRow + x * 4..<y * bytesPerRow + x * 4 + 4]) } }
        set {
            let offset = y * bytesPerRow + x * 4
            withUnsafeMutableBytes { pixels in
                for channel in 0..<4 { pixels[offset + channel] = newValue[channel] }
            }
        }
    }

    /// The greatest difference of any sample, or `nil` for bitmaps of different sizes.
    func greatestDifference(from other: Bitmap) -> Int? {
        guard size == other.size else {
            return nil
        }
        return zip(premultipliedBytes(), other.premultipliedBytes()).map { abs(Int($0) - Int($1)) }.max()
    }
}
