internal import CTIFFShim
internal import FoundationEssentials
internal import HalcyonCodecs
internal import HalcyonRaster

/// Turns decoded samples into premultiplied RGBA, a run of pixels of one row at a time.
struct TIFFPixelConverter {
    private let photometric: TIFFPhotometric
    private let alpha: TIFFAlpha?
    var hasAlpha: Bool { alpha != nil }
    private let samples: TIFFSampleReader
    /// Those of alpha, which are shares also where the colours are indexes.
    private let alphaSamples: TIFFSampleReader
    private let samplesPerPixel: Int
    private let isPlanar: Bool
    /// Red, green and blue by index, three for each; empty without a palette.
    private let palette: [UInt16]
    private let shortcut: Shortcut?
    /// Bits of the samples handed out.
    private let depth: SampleDepth
    /// A Boolean value that indicates whether colours are handed out multiplied by alpha.
    private let premultiplies: Bool
    /// What makes sRGB of samples of another colour space.
    private let conversion: ColorSpaceConversion?

    /// Layouts that a kernel converts directly, several times as fast.
    private enum Shortcut {
        case gray
        case rgb
        case straightAlpha
    }

    /// The planes that have to be read, one where samples are not in planes.
    let planes: [Int]

    /// - Parameters:
    ///   - layout: That of the samples.
    ///   - alpha: The sample that holds it.
    ///   - inkProfile: The profile of the samples, if they are four inks that are to become sRGB.
    ///   - depth: Bits of the samples handed out.
    ///   - premultiplies: Whether colours are handed out multiplied by alpha.
    init(
        _ layout: HalcyonTIFFLayout,
        alpha: TIFFAlpha?,
        inkProfile: Data?,
        depth: SampleDepth,
        premultiplies: Bool
    ) throws(CodecError) {
        self.alpha = alpha
        self.depth = depth
        self.premultiplies = premultiplies
        samplesPerPixel = Int(layout.samples_per_pixel)
        photometric = TIFFPhotometric(
            tag: layout.photometric == .max ? nil : Int(layout.photometric),
            compression: Int(layout.compression),
            samplesPerPixel: samplesPerPixel
        )
        isPlanar = layout.is_planar && samplesPerPixel > 1
        let bits = Int(layout.bits_per_sample)
        // It is not the lightness that has a sign.
        let isLab = if case .lab = photometric { true } else { false }
        let kind = isLab ? .unsigned : try Self.kind(of: layout)
        guard !isLab || layout.sample_format != 3 && (bits == 8 || bits == 16) else {
            throw .unsupported(.tiff, reason: "CIELab of \(bits) bits")
        }
        guard let samples = TIFFSampleReader(bits: bits, kind: kind, isIndex: photometric == .palette),
            let alphaSamples = TIFFSampleReader(bits: bits, kind: kind, isIndex: false)
        else {
            throw .unsupported(.tiff, reason: "samples of \(bits) bits")
        }
        self.samples = samples
        self.alphaSamples = alphaSamples
        if case .unknown(let tag) = photometric {
            throw .unsupported(.tiff, reason: "photometric interpretation \(tag)")
        }
        let colorCount = photometric.colorCount
        guard samplesPerPixel >= max(colorCount, (alpha?.index ?? 0) + 1) else {
            throw .corrupt(.tiff, reason: "\(samplesPerPixel) samples a pixel where there must be \(colorCount)")
        }
        conversion =
            switch photometric {
            case .lab: ColorSpaceConversion(labOfDepth: depth)
            case .separated: inkProfile.flatMap { ColorSpaceConversion.cached(for: $0, depth: depth) }
            default: nil
            }
        guard !isLab || conversion != nil else { throw .unsupported(.tiff, reason: "CIELab without memory for lcms2") }
        palette = try photometric == .palette ? Self.palette(of: layout) : []
        planes = isPlanar ? Array(0..<colorCount) + (alpha.map { [$0.index] } ?? []) : [0]
        shortcut = Self.shortcut(
            photometric,
            alpha,
            samplesPerPixel,
            isEasy: premultiplies && bits == 8 && kind == .unsigned && !isPlanar
        )
    }

    /// The bytes for samples of a row that ``convert(_:count:into:scratch:)`` needs room for.
    func scratchByteCount(width: Int) -> Int { shortcut == nil ? width * 10 : 1 }

    /// Converts pixels; `rows` holds the first byte of the run in each of ``planes``. Returns whether all are opaque.
    func convert(
        _ rows: [UnsafePointer<UInt8>],
        count: Int,
        into out: UnsafeMutablePointer<UInt8>,
        scratch: UnsafeMutablePointer<UInt16>
    ) -> Bool {
        switch shortcut {
        case .gray:
            PixelConversion.expand(gray: rows[0], into: out, count: count)
            return true
        case .rgb:
            PixelConversion.expand(rgb: rows[0], into: out, count: count)
            return true
        case .straightAlpha:
            return PixelConversion.premultiply(rows[0], into: out, count: count)
        case nil:
            readChannels(rows, count: count, into: scratch)
            switch depth {
            case .eight: return writePixels(scratch, count: count, into: out)
            case .sixteen: return writeWidePixels(scratch, count: count, into: UnsafeMutableRawPointer(out))
            }
        }
    }

    /// Reads the colours, then alpha, one whole channel after the other.
    private func readChannels(_ rows: [UnsafePointer<UInt8>], count: Int, into scratch: UnsafeMutablePointer<UInt16>) {
        var channels = (0..<photometric.colorCount).map { ($0, samples) }
        if let alpha {
            channels.append((alpha.index, alphaSamples))
        }
        for (number, (channel, samples)) in channels.enumerated() {
            let out = scratch + number * count
            if isPlanar {
                samples.read(rows[number], from: 0, step: 1, count: count, into: out)
            } else {
                samples.read(rows[0], from: channel, step: samplesPerPixel, count: count, into: out)
            }
        }
        guard case .lab(let isSigned) = photometric else { return }
        for index in count..<3 * count {
            // Those of 8 bits are here in both bytes.
            switch samples.bits {
            case 8: scratch[index] ^= isSigned ? 0x8080 : 0
            // From 256 to 257 for a unit of a and b.
            default:
                let value = UInt32(scratch[index] ^ (isSigned ? 0x8000 : 0))
                scratch[index] = UInt16(clamping: value * 257 / 256)
            }
        }
    }

    /// Writes pixels in sRGB, with the greatest alpha. Samples that are multiplied by alpha are divided by it first, so that
    /// the colours are straight.
    private func write(
        _ channels: UnsafeMutablePointer<UInt16>,
        by conversion: ColorSpaceConversion,
        count: Int,
        into out: UnsafeMutableRawPointer
    ) {
        let colorCount = photometric.colorCount
        if let alpha, alpha.isAssociated {
            let alphas = channels + colorCount * count
            for index in 0..<count * colorCount {
                let share = Int(max(1, alphas[index % count]))
                // Zero of a and b is in the middle.
                let zero = colorCount == 3 && index >= count ? 32_896 : 0
                channels[index] = UInt16(clamping: (Int(channels[index]) - zero) * 65_535 / share + zero)
            }
        }
        let (samples, wideSamples) = (out.assumingMemoryBound(to: UInt8.self), out.assumingMemoryBound(to: UInt16.self))
        for index in 0..<count {
            for channel in 0..<colorCount {
                let sample = channels[channel &* count &+ index]
                switch depth {
                case .eight: samples[index &* 4 &+ channel] = UInt8(truncatingIfNeeded: sample >> 8)
                case .sixteen: wideSamples[index &* 4 &+ channel] = sample
                }
            }
        }
        conversion.convert(out, count: count)
    }

    /// A Boolean value that indicates whether colours are multiplied by alpha once they are written.
    private var isAssociated: Bool { conversion == nil && alpha?.isAssociated ?? false }

    private func writePixels(
        _ channels: UnsafeMutablePointer<UInt16>,
        count: Int,
        into out: UnsafeMutablePointer<UInt8>
    ) -> Bool {
        let alphas = alpha == nil ? nil : channels + photometric.colorCount * count
        if let conversion {
            write(channels, by: conversion, count: count, into: out)
            for index in 0..<count {
                out[index &* 4 &+ 3] = UInt8(truncatingIfNeeded: (alphas?[index] ?? .max) >> 8)
            }
        } else {
            for index in 0..<count {
                let (red, green, blue) = color(channels, index, count)
                let pixel = out + index &* 4
                // The upper byte, as libvips and Pillow reduce samples: an image of 8 bits comes out as it is.
                pixel[0] = UInt8(truncatingIfNeeded: red >> 8)
                pixel[1] = UInt8(truncatingIfNeeded: green >> 8)
                pixel[2] = UInt8(truncatingIfNeeded: blue >> 8)
                pixel[3] = UInt8(truncatingIfNeeded: (alphas?[index] ?? .max) >> 8)
            }
        }
        guard alpha != nil else {
            return true
        }
        switch (isAssociated, premultiplies) {
        case (false, true):
            return PixelConversion.premultiply(out, into: out, count: count)
        case (false, false):
            return false
        case (true, false):
            PixelConversion.unpremultiply(out, into: out, count: count)
            return false
        case (true, true):
            return PixelConversion.limitColors(out, count: count)
        }
    }

    private func writeWidePixels(
        _ channels: UnsafeMutablePointer<UInt16>,
        count: Int,
        into bytes: UnsafeMutableRawPointer
    ) -> Bool {
        let out = bytes.assumingMemoryBound(to: UInt16.self)
        let alphas = alpha == nil ? nil : channels + photometric.colorCount * count
        let isAssociated = isAssociated
        var isOpaque = true
        if let conversion {
            write(channels, by: conversion, count: count, into: bytes)
        }
        for index in 0..<count {
            let pixel = out + index &* 4
            let (red, green, blue) = conversion == nil ? color(channels, index, count) : (pixel[0], pixel[1], pixel[2])
            let alpha = alphas?[index] ?? .max
            let limit = isAssociated ? alpha : .max
            isOpaque = isOpaque && alpha == .max
            pixel[0] = min(red, limit)
            pixel[1] = min(green, limit)
            pixel[2] = min(blue, limit)
            pixel[3] = alpha
        }
        if !isOpaque, premultiplies, !isAssociated {
            _ = PixelConversion.premultiply16(bytes, into: bytes, count: count)
        } else if !isOpaque, !premultiplies, isAssociated {
            PixelConversion.unpremultiply16(bytes, into: bytes, count: count)
        }
        return isOpaque
    }

    private func color(
        _ channels: UnsafeMutablePointer<UInt16>,
        _ index: Int,
        _ count: Int
    ) -> (red: UInt16, green: UInt16, blue: UInt16) {
        let first = channels[index]
        switch photometric {
        case .gray(let isInverted):
            let value = isInverted ? .max - first : first
            return (value, value, value)
        case .palette:
            let entry = Int(first) &* 3
            return (palette[entry], palette[entry &+ 1], palette[entry &+ 2])
        case .separated:
            let white = UInt32(65_535 - channels[count &* 3 &+ index])
            func mixed(_ ink: UInt16) -> UInt16 {
                UInt16(truncatingIfNeeded: (65_535 - UInt32(ink)) * white / 65_535)
            }
            return (mixed(first), mixed(channels[count &+ index]), mixed(channels[count &* 2 &+ index]))
        case .yCbCr:
            return Self.fromYCbCr(first, channels[count &+ index], channels[count &* 2 &+ index])
        case .rgb, .lab, .logLuv, .unknown:
            return (first, channels[count &+ index], channels[count &* 2 &+ index])
        }
    }
}

extension TIFFPixelConverter {
    /// The coefficients of ITU-R BT.601 with full range, as JPEG has them and TIFF by default (TIFF 6.0 section 21).
    private static func fromYCbCr(_ y: UInt16, _ cb: UInt16, _ cr: UInt16) -> (red: UInt16, green: UInt16, blue: UInt16)
    {
        let brightness = Int(y)
        // 32,896 is the sample 128 of 8 bits; coefficients are fractions of 65,536.
        let (blue, red) = (Int(cb) - 32_896, Int(cr) - 32_896)
        return (
            UInt16(clamping: brightness + (91_881 * red) >> 16),
            UInt16(clamping: brightness - (22_554 * blue + 46_802 * red) >> 16),
            UInt16(clamping: brightness + (116_130 * blue) >> 16)
        )
    }

    /// Tag 339, SampleFormat; what it leaves undefined is taken as whole numbers.
    private static func kind(of layout: HalcyonTIFFLayout) throws(CodecError) -> TIFFSampleReader.Kind {
        switch layout.sample_format {
        case 1, 4: return .unsigned
        case 2: return .signed
        case 3: return .float
        default: throw .unsupported(.tiff, reason: "complex samples")
        }
    }

    /// Palettes have 16 bits a colour. Some programs write 8, which shows in every number being below 256.
    private static func palette(of layout: HalcyonTIFFLayout) throws(CodecError) -> [UInt16] {
        guard let red = layout.color_map.0, let green = layout.color_map.1, let blue = layout.color_map.2 else {
            throw .corrupt(.tiff, reason: "indexes without a palette")
        }
        var palette: [UInt16] = []
        for index in 0..<1 << Int(layout.bits_per_sample) {
            palette += [red[index], green[index], blue[index]]
        }
        return palette.allSatisfy { $0 < 256 } ? palette.map { $0 * 257 } : palette
    }

    private static func shortcut(
        _ photometric: TIFFPhotometric,
        _ alpha: TIFFAlpha?,
        _ samplesPerPixel: Int,
        isEasy: Bool
    ) -> Shortcut? {
        switch (photometric, alpha?.isAssociated, samplesPerPixel) {
        case (.gray(isInverted: false), nil, 1) where isEasy: .gray
        case (.rgb, nil, 3) where isEasy: .rgb
        case (.rgb, false, 4) where isEasy: .straightAlpha
        default: nil
        }
    }
}
