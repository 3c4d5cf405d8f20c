internal import FoundationEssentials
internal import HalcyonRaster

/// The way from the colours of a profile to sRGB.
enum ColorConversion: Sendable {
    /// Curves and a matrix.
    case shaper(ColorShaper)
    /// One curve, for images without colours.
    case gray(ColorShaper)
    /// A table.
    case table(ColorTable)
    /// A table for images without colours.
    case grayTable(ColorTable)
    /// A table from four inks, for decoders whose samples are such.
    case inks(ColorSpaceConversion)

    /// The conversion for a profile, from a small cache, since making one takes up to 2 ms; `nil` where nothing is to
    /// be converted: for sRGB, and for profiles that cannot be used.
    static func cached(for profile: ColorProfile) -> ColorConversion? {
        ColorConversionCache.shared.conversion(for: profile) { ColorConversion(profile) }
    }

    /// `nil` where nothing is to be converted.
    init?(_ profile: ColorProfile) {
        let conversion: ColorConversion?
        switch profile {
        case .icc(let data):
            guard !ICCProfile.isSRGB(data) else { return nil }
            conversion = ICCColorReader.conversion(for: data)
        case .codePoints(let primaries, let transfer):
            conversion = Self.conversion(primaries: primaries, transfer: transfer)
        }
        guard let conversion, !conversion.changesNothing else { return nil }
        self = conversion
    }

    private static func conversion(primaries: Int, transfer: Int) -> ColorConversion? {
        guard let matrix = ColorPrimaries(code: primaries)?.matrixToSRGB,
            let transfer = TransferFunction(code: transfer)
        else { return nil }
        return ColorShaper(curve: { _, sample in transfer.light(sample) }, matrix: matrix).map(ColorConversion.shaper)
    }

    /// Converts straight pixels in place and leaves alpha alone.
    func convert(_ pixels: UnsafeMutablePointer<UInt8>, count: Int, depth: SampleDepth) {
        switch self {
        case .shaper(let shaper), .gray(let shaper):
            shaper.convert(pixels, into: pixels, count: count, depth: depth)
        case .table(let table), .grayTable(let table):
            table.convert(pixels, count: count, depth: depth)
        case .inks:
            // Pixels of red, green and blue are no inks.
            break
        }
    }

    /// A Boolean value that indicates whether no colour would change by more than one level of 8 bits.
    private var changesNothing: Bool {
        if case .inks = self { return false }
        let levels = Array(stride(from: UInt8(0), through: 240, by: 15)) + [255]
        var pixels: [UInt8] = []
        for red in levels {
            for green in levels {
                for blue in levels { pixels += [red, green, blue, 255] }
            }
        }
        for gray in UInt8.min...UInt8.max { pixels += [gray, gray, gray, 255] }
        var converted = pixels
        converted.withUnsafeMutableBufferPointer { pixels in
            guard let start = pixels.baseAddress else { return }
            convert(start, count: pixels.count / 4, depth: .eight)
        }
        return zip(pixels, converted).allSatisfy { abs(Int($0) - Int($1)) <= 1 }
    }
}
