package import FoundationEssentials
internal import HalcyonRaster

/// An image as indices into a palette of at most 256 colours.
package struct GIFIndexedImage {
    /// Red in the lowest byte, then green and blue.
    package let colors: [UInt32]
    /// One of each pixel.
    package let indices: Data
    package let transparentIndex: UInt8?

    /// Reduces a bitmap to 256 colours, one of which is transparent where that is needed.
    ///
    /// - Throws: ``CodecError/bitmap(_:)`` where the memory cannot be allocated.
    init(_ bitmap: Bitmap) throws(CodecError) {
        let buffer = try GIFIndexedImage.straightPixels(bitmap)
        defer { withExtendedLifetime(buffer) {} }
        let start = buffer.pointer.bindMemory(to: UInt32.self, capacity: bitmap.size.area)
        let pixels = UnsafeBufferPointer(start: start, count: bitmap.size.area)
        try self.init(pixels, width: bitmap.width, colorLimit: 256)
    }

    /// Reduces rows of pixels to this many colours, 2 to 256, one of which is transparent where that is needed.
    ///
    /// - Parameter pixels: As ``colors``, or `UInt32.max` for transparent ones.
    /// - Throws: ``CodecError/bitmap(_:)`` where the memory cannot be allocated.
    package init(_ pixels: UnsafeBufferPointer<UInt32>, width: Int, colorLimit: Int) throws(CodecError) {
        let hasTransparency = pixels.contains { $0 == GIFIndexedImage.transparent }
        let colorLimit = hasTransparency ? colorLimit - 1 : colorLimit
        var palette: [UInt32] = []
        indices = try Data.written(capacity: pixels.count) { bytes in
            let indices = bytes.bindMemory(to: UInt8.self)
            if let exact = GIFIndexedImage.exactColors(of: pixels, colorLimit: colorLimit, indices) {
                palette = exact
            } else {
                palette = MedianCut.palette(of: pixels, count: colorLimit)
                var ditherer = GIFDitherer(palette: palette)
                ditherer.write(pixels, width: width, to: indices)
            }
            if hasTransparency {
                let index = UInt8(palette.count)
                for place in indices.indices where pixels[place] == GIFIndexedImage.transparent {
                    indices[place] = index
                }
            }
            return pixels.count
        }
        transparentIndex = hasTransparency ? UInt8(palette.count) : nil
        colors = hasTransparency ? palette + [0] : palette
    }

    /// Opaque colours have 24 bits, so that this is none of them.
    static let transparent = UInt32.max

    /// The pixels of all rows, without padding.
    private static func straightPixels(_ bitmap: Bitmap) throws(CodecError) -> PixelBuffer {
        let pixels = try PixelBuffer.forEncoding(byteCount: 4 * bitmap.size.area)
        for y in 0..<bitmap.height {
            let row = pixels.pointer + 4 * bitmap.width * y
            bitmap.pack(row: y, into: row, hasAlpha: true)
            for place in stride(from: 0, to: 4 * bitmap.width, by: 4) {
                let pixel = UInt32(littleEndian: row.load(fromByteOffset: place, as: UInt32.self))
                let value = pixel >> 24 < 128 ? transparent : pixel & 0xFF_FFFF
                row.storeBytes(of: value, toByteOffset: place, as: UInt32.self)
            }
        }
        return pixels
    }

    /// Writes the index of each pixel, and returns the colours in the order of their first appearance, or `nil` where there
    /// are too many.
    private static func exactColors(
        of pixels: UnsafeBufferPointer<UInt32>,
        colorLimit: Int,
        _ indices: UnsafeMutableBufferPointer<UInt8>
    ) -> [UInt32]? {
        var numbers: [UInt32: UInt8] = [:]
        var colors: [UInt32] = []
        var last: (pixel: UInt32, index: UInt8)?
        for (place, pixel) in pixels.enumerated() {
            if let last, last.pixel == pixel {
                indices[place] = last.index
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
            indices[place] = index
            last = (pixel, index)
        }
        return colors
    }
}
