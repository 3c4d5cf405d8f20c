internal import HalcyonRaster

/// An image as indices into a palette of at most 256 colours.
package struct GIFIndexedImage {
    /// Red in the lowest byte, then green and blue.
    package let colors: [UInt32]
    package let indices: [UInt8]
    package let transparentIndex: UInt8?

    /// Reduces a bitmap to 256 colours, one of which is transparent where that is needed.
    init(_ bitmap: Bitmap) throws(BitmapError) {
        self.init(try GIFIndexedImage.straightPixels(bitmap), width: bitmap.width, colorLimit: 256)
    }

    /// Reduces rows of pixels to this many colours, 2 to 256, one of which is transparent where that is needed.
    ///
    /// - Parameter pixels: As ``colors``, or `UInt32.max` for transparent ones.
    package init(_ pixels: [UInt32], width: Int, colorLimit: Int) {
        let hasTransparency = pixels.contains { $0 == GIFIndexedImage.transparent }
        let colorLimit = hasTransparency ? colorLimit - 1 : colorLimit
        let palette: [UInt32]
        var indices: [UInt8]
        if let exact = GIFIndexedImage.exactIndices(pixels, colorLimit: colorLimit) {
            palette = exact.colors
            indices = exact.indices
        } else {
            palette = MedianCut.palette(of: pixels.filter { $0 != GIFIndexedImage.transparent }, count: colorLimit)
            var ditherer = GIFDitherer(palette: palette)
            indices = ditherer.indices(of: pixels, width: width)
        }
        if hasTransparency {
            let index = UInt8(palette.count)
            for place in indices.indices where pixels[place] == GIFIndexedImage.transparent {
                indices[place] = index
            }
            colors = palette + [0]
            transparentIndex = index
        } else {
            colors = palette
            transparentIndex = nil
        }
        self.indices = indices
    }

    /// Opaque colours have 24 bits, so that this is none of them.
    static let transparent = UInt32.max

    private static func straightPixels(_ bitmap: Bitmap) throws(BitmapError) -> [UInt32] {
        let row = try PixelBuffer(byteCount: bitmap.bytesPerRow)
        var pixels: [UInt32] = []
        pixels.reserveCapacity(bitmap.width * bitmap.height)
        bitmap.withUnsafeBytes { bytes in
            guard let start = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self) else {
                return
            }
            for y in 0..<bitmap.height {
                let straight = row.pointer.assumingMemoryBound(to: UInt8.self)
                PixelConversion.unpremultiply(start + y * bitmap.bytesPerRow, into: straight, count: bitmap.width)
                for x in 0..<bitmap.width {
                    let pixel = UInt32(littleEndian: row.pointer.load(fromByteOffset: 4 * x, as: UInt32.self))
                    pixels.append(pixel >> 24 < 128 ? transparent : pixel & 0xFF_FFFF)
                }
            }
        }
        return pixels
    }

    /// Colours in the order of their first appearance, or `nil` where there are too many.
    private static func exactIndices(
        _ pixels: [UInt32],
        colorLimit: Int
    ) -> (colors: [UInt32], indices: [UInt8])? {
        var numbers: [UInt32: UInt8] = [:]
        var colors: [UInt32] = []
        var indices: [UInt8] = []
        indices.reserveCapacity(pixels.count)
        var last: (pixel: UInt32, index: UInt8)?
        for pixel in pixels {
            if let last, last.pixel == pixel {
                indices.append(last.index)
                continue
            }
            let index: UInt8
            if pixel == transparent {
                index = 0
            } else if let known = numbers[pixel] {
                index = known
            } else {
                guard colors.count < colorLimit else {
                    return nil
                }
                index = UInt8(colors.count)
                numbers[pixel] = index
                colors.append(pixel)
            }
            indices.append(index)
            last = (pixel, index)
        }
        return (colors, indices)
    }
}
