internal import HalcyonCodecs

/// The interpretation of the samples of a page (tag 262, PhotometricInterpretation).
enum TIFFPhotometric: Equatable {
    case gray(isInverted: Bool)
    case rgb
    case palette
    /// Cyan, magenta, yellow, black, which is also how viewers show other inks.
    case separated
    /// YCbCr, which libtiff converts itself.
    case yCbCr
    /// CIELab relative to the white D50, whose a and b have a sign or begin at −128.
    case lab(isSigned: Bool)
    /// LogLuv, which libtiff converts itself to the colours of the screen.
    case logLuv
    case unknown(Int)

    /// Files that do not say it have grey or RGB, by the number of their samples, and those of fax machines dark ink on
    /// white, as libtiff assumes.
    init(tag: Int?, compression: Int, samplesPerPixel: Int) {
        switch tag {
        case 0: self = .gray(isInverted: true)
        case 1, 4: self = .gray(isInverted: false)
        case 2: self = .rgb
        case 3: self = .palette
        case 5: self = .separated
        case 6: self = .yCbCr
        case 8, 9: self = .lab(isSigned: tag == 8)
        case 32_844, 32_845: self = .logLuv
        case nil where samplesPerPixel >= 3: self = .rgb
        case nil: self = .gray(isInverted: Self.faxCompressions.contains(compression))
        case let tag?: self = .unknown(tag)
        }
    }

    /// ITU-T T.4 and T.6 in the numbers of tag 259, Compression.
    private static let faxCompressions: Set<Int> = [2, 3, 4, 32_771]

    /// Samples of a pixel before any extra one.
    var colorCount: Int {
        switch self {
        case .gray, .palette, .unknown: 1
        case .rgb, .yCbCr, .lab, .logLuv: 3
        case .separated: 4
        }
    }

    /// The colour space of the samples without a profile.
    var colorSpace: ColorSpace {
        switch self {
        case .gray: .gray
        case .separated: .cmyk
        default: .sRGB
        }
    }
}

/// The sample that holds alpha.
struct TIFFAlpha: Equatable {
    /// The sample's place in a pixel.
    let index: Int
    /// A Boolean value that indicates whether the colours are multiplied by alpha already.
    let isAssociated: Bool

    /// `nil` where no sample is said to be alpha (tag 338, ExtraSamples). A single sample beyond grey or RGB of which
    /// nothing is said is straight alpha, as viewers have it.
    init?(photometric: TIFFPhotometric, samplesPerPixel: Int, extraSamples: [Int]) {
        let colorCount = photometric.colorCount
        guard photometric != .yCbCr, photometric != .logLuv, samplesPerPixel > colorCount else {
            return nil
        }
        if extraSamples.isEmpty, samplesPerPixel == colorCount + 1, photometric != .palette, photometric != .separated {
            index = colorCount
            isAssociated = false
            return
        }
        guard let extra = extraSamples.prefix(samplesPerPixel - colorCount).firstIndex(where: { $0 == 1 || $0 == 2 })
        else {
            return nil
        }
        index = colorCount + extra
        isAssociated = extraSamples[extra] == 1
    }
}
