import CLCMS
import Foundation
import HalcyonRaster
import Testing

@testable import HalcyonCodecs

@Suite("profiles of every kind mean the same in every format, what lcms2 makes of them")
struct ProfileMatrixTests {
    private static let codecs = ImageCodecs.all

    /// Version 2 where the header says 4, or the other way round; nothing else differs between them here.
    private static func version(_ number: UInt8, _ profile: Data) -> Data {
        var profile = profile
        profile[8] = number
        return profile
    }

    /// What lcms2 makes of straight samples, of RGBA where they have colours, as RGBA: without its tables of few points
    /// for curves, which are off by ten levels where it is dark.
    private static func exact(
        _ samples: [UInt16],
        _ profile: Data,
        _ model: ICCProfile.ColorModel = .rgb,
        depth: SampleDepth
    ) throws -> [UInt16] {
        let opened = profile.withUnsafeBytes { cmsOpenProfileFromMem($0.baseAddress, cmsUInt32Number($0.count)) }
        let (source, target) = (try #require(opened), try #require(cmsCreate_sRGBProfile()))
        defer {
            cmsCloseProfile(source)
            cmsCloseProfile(target)
        }
        let byteCount = depth.rawValue / 8
        func format(_ model: Int32, _ extra: Int, _ colors: Int) -> cmsUInt32Number {
            cmsUInt32Number(Int(model) << 16 | extra << 7 | colors << 3 | byteCount)
        }
        let input =
            switch model {
            case .gray: format(PT_GRAY, 0, 1)
            case .rgb: format(PT_RGB, 1, 3)
            case .inks: format(PT_CMYK, 0, 4)
            }
        let created = cmsCreateTransform(
            source,
            input,
            target,
            format(PT_RGB, 1, 3),
            cmsUInt32Number(INTENT_PERCEPTUAL),
            cmsUInt32Number(cmsFLAGS_NOCACHE | (cmsIsTag(source, cmsSigAToB0Tag) == 0 ? cmsFLAGS_NOOPTIMIZE : 0))
        )
        let transform = try #require(created)
        defer { cmsDeleteTransform(transform) }
        let count = samples.count / (model == .gray ? 1 : 4)
        if depth == .sixteen {
            var result = [UInt16](repeating: 0, count: count * 4)
            cmsDoTransform(transform, samples, &result, cmsUInt32Number(count))
            return result
        }
        var result = [UInt8](repeating: 0, count: count * 4)
        cmsDoTransform(transform, samples.map { UInt8($0 >> 8) }, &result, cmsUInt32Number(count))
        return result.map { UInt16($0) * 257 }
    }

    /// The greatest difference between colours, in levels of 8 bits.
    private static func worst(_ bitmap: Bitmap, _ expected: [UInt16]) -> Double {
        let samples = bitmap.straightRGBA16()
        guard samples.count == expected.count else { return .infinity }
        return samples.indices.filter { $0 % 4 < 3 }
            .map { abs(Double(samples[$0]) - Double(expected[$0])) / 257 }.max() ?? .infinity
    }

    private static func decode(_ data: Data, _ depth: SampleDepth, _ color: ColorHandling) throws -> DecodedImage {
        try codecs.decode(data, options: DecodeOptions(color: color, keepsSixteenBits: depth == .sixteen))
    }

    // MARK: Red, green and blue

    struct Case: Sendable, CustomTestStringConvertible {
        let format: ImageFormat
        let depth: SampleDepth
        var testDescription: String { "\(format) of \(depth.rawValue) bits" }
    }

    static let cases: [Case] = {
        var cases = [Case(format: .png, depth: .eight), Case(format: .png, depth: .sixteen)]
        cases += [ImageFormat.jpeg, .webp, .avif, .bmp].map { Case(format: $0, depth: .eight) }
        cases += [Case(format: .tiff, depth: .eight), Case(format: .tiff, depth: .sixteen)]
        cases += [Case(format: .jxl, depth: .eight), Case(format: .jxl, depth: .sixteen)]
        return cases
    }()

    static let profiles: [Data] = [2, 4].flatMap { number in
        [
            TestProfile.matrix(TestProfile.displayP3, curve: TestProfile.parametricCurve),
            TestProfile.matrix(TestProfile.displayP3, curve: TestProfile.sampledCurve(256) { pow($0, 2.4) }),
            TestProfile.matrix(TestProfile.sRGB, curve: TestProfile.gamma(1), name: "sRGB"),
            TestProfile.matrix(TestProfile.displayP3, curve: TestProfile.sampledCurve(256) { 0.04 + 0.96 * $0 * $0 }),
            TestProfile.table(TestProfile.sRGB) { pow($0, 1.8) },
        ].map { version(number, $0) }
    }

    @Test("matrices and tables", arguments: cases)
    func colors(_ space: Case) throws {
        let bitmap = try ExactColor.colors(depth: space.depth)
        for profile in Self.profiles {
            let isLossless = [.webp, .jxl].contains(space.format)
            let options = EncodeOptions(quality: isLossless ? nil : 95, colorProfile: .icc(profile))
            let file = try Self.codecs.encode(bitmap, as: space.format, options: options)
            let stored = try Self.decode(file, space.depth, .asStored)
            // libjxl writes what it knows as numbers.
            #expect(stored.colorProfile == .icc(profile) || space.format == .jxl)
            let shown = try Self.decode(file, space.depth, .sRGB)
            #expect(shown.colorProfile == nil)
            let expected = try Self.exact(stored.bitmap.straightRGBA16(), profile, depth: space.depth)
            let worst = Self.worst(shown.bitmap, expected)
            #expect(worst <= 1, "\(worst) levels")
        }
    }

    @Test("those of other models, and broken ones, change nothing", arguments: cases)
    func unusable(_ space: Case) throws {
        let wide = TestProfile.matrix(TestProfile.displayP3, curve: TestProfile.gamma(1.8))
        let bitmap = try ExactColor.colors(depth: space.depth)
        let lab = TestProfile.profile(colorSpace: "Lab ", tags: [("wtpt", Data(count: 20))])
        for profile in [lab, wide.prefix(180)] {
            // libjxl refuses to write them.
            guard space.format != .jxl else { continue }
            let options = EncodeOptions(quality: space.format == .webp ? nil : 95, colorProfile: .icc(Data(profile)))
            let file = try Self.codecs.encode(bitmap, as: space.format, options: options)
            let (stored, shown) = try (
                Self.decode(file, space.depth, .asStored), Self.decode(file, space.depth, .sRGB)
            )
            #expect(stored.bitmap.straightRGBA16() == shown.bitmap.straightRGBA16())
        }
    }

    // MARK: Grey

    private static let shades: [UInt16] = (0...255).map { $0 * 257 }

    static let grayProfiles: [Data] = [2, 4].flatMap { (number: UInt8) -> [Data] in
        let curves = [
            TestProfile.gamma(1), TestProfile.gamma(1.8), TestProfile.sampledCurve(64) { $0 * $0 * $0 },
            TestProfile.sampledCurve(64) { 0.05 + 0.95 * $0 * $0 },
        ]
        return (curves.map { TestProfile.gray(curve: $0) } + [TestProfile.grayTable { pow($0, 2.2) }]).map {
            version(number, $0)
        }
    }

    private static func bytes(_ samples: [UInt16], _ depth: SampleDepth) -> [UInt8] {
        samples.flatMap { depth == .eight ? [UInt8($0 >> 8)] : [UInt8($0 >> 8), UInt8($0 & 255)] }
    }

    @Test("grey", arguments: [SampleDepth.eight, .sixteen], grayProfiles)
    func gray(depth: SampleDepth, profile: Data) throws {
        let expected = try Self.exact(Self.shades, profile, .gray, depth: depth)
        let chunk = PNGBytes.chunk("iCCP", [110, 0, 0] + PNGBytes.stored([UInt8](profile)))
        var files = [
            PNGBytes.file([
                PNGBytes.header(256, 1, depth: UInt8(depth.rawValue), colorType: 0), chunk,
                PNGBytes.chunk("IDAT", PNGBytes.stored([0] + Self.bytes(Self.shades, depth))), PNGBytes.end,
            ])
        ]
        for isInverted in [false, true] {
            let samples = isInverted ? Self.shades.map { 65_535 - $0 } : Self.shades
            files.append(Self.tiff(samples, profile, depth, photometric: isInverted ? 0 : 1, channels: 1))
        }
        for file in files {
            let worst = try Self.worst(Self.decode(file, depth, .sRGB).bitmap, expected)
            #expect(worst <= 1, "\(worst) levels")
        }
    }

    private static func tiff(
        _ samples: [UInt16],
        _ profile: Data,
        _ depth: SampleDepth,
        photometric: Int,
        channels: Int
    ) -> Data {
        func entry(_ tag: Int, _ type: Int, _ values: [Int]) -> TIFFBytes.Entry {
            TIFFBytes.Entry(tag: tag, type: type, values: values)
        }
        var file = TIFFBytes(isLittle: false)
        file.addPage(
            width: samples.count / channels,
            height: 1,
            samples: bytes(samples, depth),
            [
                entry(258, 3, [Int](repeating: depth.rawValue, count: channels)), entry(262, 3, [photometric]),
                entry(277, 3, [channels]), entry(34_675, 7, profile.map(Int.init)),
            ]
        )
        return file.data
    }

    // MARK: Inks

    private static let inks: [UInt16] = [0, 51, 128, 255].flatMap { cyan in
        [0, 90, 255].flatMap { magenta in
            [0, 200].flatMap { yellow in [0, 60, 255].flatMap { black in [cyan, magenta, yellow, black] } }
        }
    }.map { $0 * 257 }

    @Test("four inks", arguments: [2, 4] as [UInt8])
    func inks(version: UInt8) throws {
        let profile = Self.version(version, TestProfile.inks)
        for depth in [SampleDepth.eight, .sixteen] {
            let file = Self.tiff(Self.inks, profile, depth, photometric: 5, channels: 4)
            let image = try Self.decode(file, depth, .sRGB)
            #expect(image.colorProfile == nil && image.bitmap.isOpaque)
            let expected = try Self.exact(Self.inks, profile, .inks, depth: depth)
            let worst = Self.worst(image.bitmap, expected)
            #expect(worst <= 1, "\(worst) levels")
        }
        for index in stride(from: 0, to: Self.inks.count, by: 4) {
            let inks = Array(Self.inks[index..<index + 4])
            // Adobe's files hold what the inks leave of light.
            var file = JPEGBytes(samples: inks.map { 255 - Int($0 >> 8) })
            file.segments = JPEGBytes.adobe(transform: 0) + JPEGBytes.profileChunk(1, of: 1, profile)
            let image = try Self.decode(file.data, .eight, .sRGB)
            let expected = try Self.exact(inks, profile, .inks, depth: .eight)
            #expect((0..<3).allSatisfy { abs(Int(image.bitmap[3, 3][$0]) - Int(expected[$0] >> 8)) <= 1 })
        }
    }

    // MARK: There and back

    @Test("metadata of one file written to another keeps the colours right", arguments: cases)
    func roundTrip(_ space: Case) throws {
        let wide = TestProfile.matrix(TestProfile.displayP3, curve: TestProfile.gamma(1.8))
        let bitmap = try ExactColor.colors(depth: space.depth)
        let quality = [.webp, .jxl].contains(space.format) ? nil : 95
        let original = try Self.codecs.encode(
            bitmap,
            as: space.format,
            options: EncodeOptions(quality: quality, colorProfile: .icc(wide))
        )
        let metadata = try Self.codecs.metadata(of: original)
        let expected = try Self.decode(original, space.depth, .sRGB).bitmap.straightRGBA16()
        for color in [ColorHandling.sRGB, .asStored] {
            let image = try Self.decode(original, space.depth, color)
            let options = EncodeOptions(quality: 100, metadata: metadata, colorProfile: image.colorProfile)
            let copy = try Self.codecs.encode(image.bitmap, as: .png, options: options)
            #expect(try (Self.codecs.metadata(of: copy).iccProfile == nil) == (color == .sRGB))
            let worst = try Self.worst(Self.decode(copy, space.depth, .sRGB).bitmap, expected)
            #expect(worst <= 1, "\(worst) levels")
        }
    }

    @Test("shades of grey keep their profile in every format", arguments: cases)
    func grayRoundTrip(_ space: Case) throws {
        let bitmap = try (0...255).map { UInt8($0) }.withUnsafeBytes { try Bitmap(gray: $0, size: PixelSize(256, 1)) }
            .converted(to: space.depth)
        let wide = TestProfile.matrix(TestProfile.sRGB, curve: TestProfile.gamma(1))
        for profile in [wide, TestProfile.gray(curve: TestProfile.gamma(1))] {
            let quality = [.webp, .jxl].contains(space.format) ? nil : 100
            let options = EncodeOptions(quality: quality, colorProfile: .icc(profile))
            let file = try Self.codecs.encode(bitmap, as: space.format, options: options)
            let shown = try Self.decode(file, space.depth, .sRGB).bitmap.straightRGBA16()
            let stored = try Self.decode(file, space.depth, .asStored).bitmap.straightRGBA16()
            for shade in stride(from: 0, to: shown.count, by: 4) {
                let exact = ExactColor.encoded(Double(stored[shade]) / 65_535) * 65_535
                // Light of many levels a level of shade, where it is dark.
                #expect(abs(Double(shown[shade]) - exact) < 3 * 257, "shade \(shade / 4)")
            }
        }
    }

    @Test("colours that no profile can be made of are refused, and inks")
    func refused() throws {
        let bitmap = try ExactColor.colors()
        for profile in [ColorProfile.codePoints(primaries: 9, transfer: 16), .icc(TestProfile.inks)] {
            #expect(throws: CodecError.self) {
                try Self.codecs.encode(bitmap, as: .png, options: EncodeOptions(colorProfile: profile))
            }
        }
        let options = EncodeOptions(colorProfile: .codePoints(primaries: 12, transfer: 13))
        let file = try Self.codecs.encode(bitmap, as: .png, options: options)
        var expected = bitmap
        try expected.convertToSRGB(from: .codePoints(primaries: 12, transfer: 13))
        #expect(try Self.worst(Self.decode(file, .eight, .sRGB).bitmap, expected.straightRGBA16()) <= 1)
    }
}
