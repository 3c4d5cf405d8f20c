internal import FoundationEssentials
internal import HalcyonRaster

extension PNGFile {
    /// Returns the colours of the samples, by the chunk that takes precedence: cICP, iCCP, sRGB, then gAMA with cHRM
    /// (PNG, 4.3). A chunk that cannot be used, such as a damaged profile or one that is for grey in a file with
    /// colours, is passed over.
    ///
    /// - Returns: The profile, or `nil` for sRGB, and the colour space in the words all formats share.
    /// - Throws: ``CodecError/bitmap(_:)`` where the memory cannot be allocated.
    func color(in bytes: UnsafeRawBufferPointer) throws(CodecError) -> (profile: ColorProfile?, space: ColorSpace) {
        if let (primaries, transfer) = codePoints {
            let space = ColorSpace(primaries: primaries, transfer: transfer)
            return (space == .sRGB ? nil : .codePoints(primaries: primaries, transfer: transfer), space)
        }
        if let range = color.profile,
            let (profile, name) = try embeddedProfile(UnsafeRawBufferPointer(rebasing: bytes[range]))
        {
            let color = ColorProfile(embedded: profile, isGray: isGray)
            return (color, color == nil ? .sRGB : .icc(description: name))
        }
        let unnamed: ColorSpace = isGray ? .gray : .sRGB
        if color.isStandard {
            return (nil, unnamed)
        }
        guard let (profile, name) = gammaProfile else {
            return (nil, unnamed)
        }
        return (.icc(profile), isGray ? .gray : .icc(description: name))
    }

    private var isGray: Bool { header.colorType == .gray || header.colorType == .grayAlpha }

    /// Those of samples in RGB with their full range; PNG allows no other matrix, and has hardly any file with video's
    /// narrow range.
    private var codePoints: (primaries: Int, transfer: Int)? {
        guard let numbers = color.codePoints, numbers[2] == 0, numbers[3] == 1 else {
            return nil
        }
        return (Int(numbers[0]), Int(numbers[1]))
    }

    /// The profile in iCCP (PNG, 11.3.2.3) and its name: its own, or else the one the chunk gives it.
    private func embeddedProfile(_ payload: UnsafeRawBufferPointer) throws(CodecError) -> (Data, String)? {
        guard let end = payload.prefix(80).firstIndex(of: 0), end > 0, end + 2 <= payload.count,
            let profile = try PNGInflater.profile(UnsafeRawBufferPointer(rebasing: payload[(end + 2)...])),
            ICCProfile.isProfile(profile, for: isGray ? .gray : .rgb)
        else {
            return nil
        }
        // Latin-1 has the code points of Unicode.
        let name = String(String.UnicodeScalarView(payload[..<end].map { Unicode.Scalar($0) }))
        return (profile, ICCProfile.description(of: profile) ?? name)
    }

    /// A profile for what gAMA and cHRM say, and a name for it; `nil` where that is sRGB or makes no sense.
    private var gammaProfile: (Data, String)? {
        guard let gamma = color.gamma, (10_000...1_000_000).contains(gamma) else {
            return nil
        }
        // 45455, 1 / 2.2, is what nearly every program writes that means sRGB; libpng takes up to 5 % for the same.
        let isStandardCurve = (43_182...47_727).contains(gamma)
        let primaries = isGray ? nil : color.chromaticities.flatMap(Self.primaries)
        guard !isStandardCurve || primaries != nil else {
            return nil
        }
        let exponent = 100_000 / Double(gamma)
        let profile = ICCProfileWriter.profile(
            exponent: isStandardCurve ? nil : exponent,
            primaries: primaries ?? .sRGB,
            isGray: isGray
        )
        let rounded = (exponent * 100).rounded() / 100
        return profile.map { ($0, "gamma \(rounded)" + (primaries == nil ? "" : ", own primaries")) }
    }

    /// `nil` for the primaries of sRGB, to a thousandth.
    private static func primaries(_ chromaticities: [Int]) -> ColorPrimaries? {
        let standard = [31_270, 32_900, 64_000, 33_000, 30_000, 60_000, 15_000, 6_000]
        guard zip(chromaticities, standard).contains(where: { abs($0 - $1) > 100 }) else {
            return nil
        }
        let places = stride(from: 0, to: 8, by: 2).map {
            SIMD2(Double(chromaticities[$0]), Double(chromaticities[$0 + 1])) / 100_000
        }
        return ColorPrimaries(red: places[1], green: places[2], blue: places[3], white: places[0])
    }
}

/// The colours of a file as its chunks state them. Of several chunks of one kind, the first counts.
struct PNGColor {
    /// cICP: the numbers of primaries, transfer and matrix, and whether samples use their full range (PNG, 11.3.2.6).
    private(set) var codePoints: [UInt8]?
    /// The place of iCCP in the file.
    private(set) var profile: Range<Int>?
    /// A Boolean value that indicates whether sRGB is there.
    private(set) var isStandard = false
    /// gAMA, times 100,000.
    private(set) var gamma: Int?
    /// cHRM, times 100,000: x and y of white, red, green and blue.
    private(set) var chromaticities: [Int]?

    /// Takes in a chunk that stands before the image; others are passed over.
    mutating func read(_ chunk: PNGChunk, _ payload: UnsafeRawBufferPointer) {
        switch chunk.type {
        case .codePoints where codePoints == nil && payload.count == 4:
            codePoints = Array(payload)
        case .colorProfile where profile == nil:
            profile = chunk.range
        case .standardColor:
            isStandard = true
        case .gamma where gamma == nil && payload.count == 4:
            gamma = Int(payload.bigEndianUInt32(at: 0))
        case .chromaticities where chromaticities == nil && payload.count == 32:
            chromaticities = (0..<8).map { Int(payload.bigEndianUInt32(at: $0 * 4)) }
        default:
            break
        }
    }
}
