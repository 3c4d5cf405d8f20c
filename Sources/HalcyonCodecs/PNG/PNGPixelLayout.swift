internal import CPNGKernels
internal import HalcyonRaster

/// The layout in which an encoder stores pixels: the smallest of PNG's colour types (PNG, 11.2.1) that loses nothing.
enum PNGPixelLayout {
    case palette(PNGPalette)
    /// Shades of grey of 8 bits.
    case gray
    case rgb(SampleDepth)
    case rgba(SampleDepth)

    /// The layout for one image. Images of more than 256 colours are found out within their first few hundred
    /// pixels; others are looked at once.
    init(for bitmap: Bitmap, allowsGray: Bool = true) {
        if let palette = PNGPalette(bitmap) {
            // Filters do more for shades of grey than a palette does.
            self = allowsGray && palette.isGray && palette.colors.count > 16 ? .gray : .palette(palette)
        } else {
            self.init(hasAlpha: !bitmap.isOpaque && bitmap.containsTransparency(), depth: bitmap.depth)
        }
    }

    init(hasAlpha: Bool, depth: SampleDepth) {
        self = hasAlpha ? .rgba(depth) : .rgb(depth)
    }

    var colorType: PNGHeader.ColorType {
        switch self {
        case .palette: .palette
        case .gray: .gray
        case .rgb: .rgb
        case .rgba: .rgba
        }
    }

    var bitDepth: Int {
        switch self {
        case .palette(let palette): palette.bitDepth
        case .gray: 8
        case .rgb(let depth), .rgba(let depth): depth.rawValue
        }
    }

    var isIndexed: Bool {
        if case .palette = self { true } else { false }
    }

    /// The distance filters look back, in bytes.
    var bytesPerPixel: Int { max(1, bitDepth * colorType.channelCount / 8) }

    func rowByteCount(width: Int) -> Int {
        (width * bitDepth * colorType.channelCount + 7) / 8
    }

    /// Writes a row of a bitmap as it is stored.
    ///
    /// Raw pointers: `target` has ``rowByteCount(width:)`` bytes.
    func write(_ source: UnsafePointer<UInt8>, width: Int, to target: UnsafeMutablePointer<UInt8>) {
        switch self {
        case .palette(let palette):
            palette.write(source, width: width, to: target)
        case .gray:
            for x in 0..<width {
                target[x] = source[4 &* x]
            }
        case .rgb(.eight):
            halcyon_png_drop_alpha(target, source, width)
        case .rgb(.sixteen):
            halcyon_png_drop_alpha_16(target, source, width)
        case .rgba(let depth):
            PixelConversion.writeStraight(source, into: target, count: width, depth: depth)
        }
    }
}
