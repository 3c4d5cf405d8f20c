internal import CPNGKernels
internal import HalcyonRaster

/// The pixels that a frame's indices stand for.
struct GIFColorTable {
    /// Opaque pixels; the transparent index has 0, indices that no palette names are black.
    private let pixels: [UInt32]
    let hasTransparency: Bool

    /// The table of the frame itself, or else that of the file.
    init(of frame: GIFFrame, _ file: GIFFile, _ bytes: UnsafeRawBufferPointer) {
        var pixels = [UInt32](repeating: UInt32(0xFF00_0000).littleEndian, count: 256)
        if let palette = frame.palette ?? file.globalPalette {
            for index in 0..<palette.count / 3 {
                let color = palette.lowerBound + 3 * index
                let pixel = UInt32(bytes[color]) | UInt32(bytes[color + 1]) << 8 | UInt32(bytes[color + 2]) << 16
                pixels[index] = (pixel | 0xFF00_0000).littleEndian
            }
        }
        if let transparent = frame.control.transparentIndex {
            pixels[Int(transparent)] = 0
        }
        hasTransparency = frame.control.transparentIndex != nil
        self.pixels = pixels
    }

    /// Writes the pixels of `count` indices; what lies under transparent ones stays.
    func expand(_ indices: UnsafePointer<UInt8>, count: Int, to row: UnsafeMutablePointer<UInt8>) {
        pixels.withUnsafeBufferPointer { pixels in
            guard let table = pixels.baseAddress else {
                return
            }
            if hasTransparency {
                halcyon_gif_draw(row, indices, table, count)
            } else {
                halcyon_gif_expand(row, indices, table, count)
            }
        }
    }
}
