internal import CReferences
internal import HalcyonRaster

/// A change of the colours of a translucent image of 8 bits a sample.
enum ColorWork: String, CaseIterable {
    /// The image over black.
    case background
    /// A matrix on straight colours.
    case sepia
    /// A factor in linear light.
    case exposure
    /// Another image of the same size over it.
    case multiply
    case softLight
    case luminosity

    var name: String {
        switch self {
        case .background: "background"
        case .sepia: "colour matrix"
        case .exposure: "exposure in linear light"
        case .multiply: "blend, multiply"
        case .softLight: "blend, soft light"
        case .luminosity: "blend, luminosity"
        }
    }

    /// Sepia of CSS, by rows.
    static let matrix: [Float] = [0.393, 0.769, 0.189, 0.349, 0.686, 0.168, 0.272, 0.534, 0.131]

    private var mode: BlendMode? {
        switch self {
        case .background, .sepia, .exposure: nil
        case .multiply: .multiply
        case .softLight: .softLight
        case .luminosity: .luminosity
        }
    }

    /// Does the work with Halcyon.
    func processed(_ image: Bitmap, under other: Bitmap) throws -> Bitmap {
        switch self {
        case .background: return try image.blended(over: .black)
        case .sepia: return try image.adjustingColors(.sepia())
        case .exposure: return try image.adjustingColors(.exposure(0.7), in: .linear)
        case .multiply, .softLight, .luminosity:
            var result = image
            try result.draw(other, mode: mode ?? .normal)
            return result
        }
    }

    /// The work as a textbook writes it; for the modes without a textbook's version here, multiply.
    func textbook(_ image: [UInt8], under other: [UInt8]) -> (_ out: inout [UInt8]) -> Void {
        let count = image.count / 4
        return switch self {
        case .background: { halcyon_reference_flatten(image, &$0, count) }
        case .sepia: { halcyon_reference_matrix(image, &$0, count, Self.matrix) }
        case .exposure: { halcyon_reference_exposure(image, &$0, count, 1.624_505) }
        case .multiply, .softLight, .luminosity: { halcyon_reference_multiply(other, image, &$0, count) }
        }
    }

    /// The work with libvips; `nil` where it has no such operation.
    func vips(_ image: [UInt8], under other: [UInt8], _ size: PixelSize) -> (() -> Int32)? {
        let (width, height) = (Int32(size.width), Int32(size.height))
        switch self {
        case .background: return { halcyon_vips_flatten(image, width, height) }
        case .sepia:
            // Alpha is a band like the others, and stays.
            var rows = [Double](repeating: 0, count: 16)
            for (index, factor) in Self.matrix.enumerated() { rows[index / 3 * 4 + index % 3] = Double(factor) }
            rows[15] = 1
            return { [rows] in halcyon_vips_recomb(image, width, height, rows) }
        // The numbers of VipsBlendMode.
        case .multiply: return { halcyon_vips_composite(other, image, width, height, 14) }
        case .softLight: return { halcyon_vips_composite(other, image, width, height, 22) }
        case .exposure, .luminosity: return nil
        }
    }
}
