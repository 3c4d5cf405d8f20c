internal import CPNGKernels
internal import HalcyonRaster

/// Turns unfiltered rows of 16 bits a sample into premultiplied RGBA of 16 bits.
///
/// Rows are raw pointers for the reasons that ``PNGPixelExpander`` gives.
struct PNGWideExpander {
    private let channelCount: Int
    private let hasAlpha: Bool
    private let transparent: [UInt16]?

    /// An expander for the rows of this file, whose header must say 16 bits.
    init(_ file: PNGFile) {
        let colorType = file.header.colorType
        channelCount = colorType.channelCount
        hasAlpha = colorType.hasAlpha
        // One sample of grey, three of a colour (PNG, 11.3.1.1).
        let key = file.transparency ?? []
        transparent =
            hasAlpha || key.count < 2 * colorType.channelCount
            ? nil : (0..<colorType.channelCount).map { UInt16(key[2 * $0]) << 8 | UInt16(key[2 * $0 + 1]) }
    }

    /// Writes `width` pixels from `row` to `output`; says whether all of them are opaque.
    func expand(_ row: UnsafeMutablePointer<UInt8>, width: Int, to output: UnsafeMutablePointer<UInt8>) -> Bool {
        let isOpaque = halcyon_png_expand_16(output, row, width, channelCount, transparent)
        return hasAlpha ? PixelConversion.premultiply16(output, into: output, count: width) : isOpaque
    }
}
