import Foundation
import HalcyonRaster
import Testing

@testable import HalcyonCodecs

@Suite("profiles that cannot be used, or need not be, leave pixels alone")
struct UnusableProfileTests {
    static let displayP3 = TestProfile.matrix(TestProfile.displayP3, curve: TestProfile.parametricCurve)

    /// Returns whether a profile leaves every colour as it is, without even a copy.
    private func isIgnored(_ profile: Data) throws -> Bool {
        let original = try ExactColor.colors()
        var bitmap = original
        try bitmap.convertToSRGB(from: .icc(profile))
        return bitmap.buffer === original.buffer
    }

    @Test("but a name does not make sRGB of other curves, other primaries or a table")
    func name() throws {
        let swapped = [TestProfile.sRGB[1], TestProfile.sRGB[0], TestProfile.sRGB[2]]
        let profiles = [
            TestProfile.matrix(TestProfile.sRGB, curve: TestProfile.gamma(1), name: "sRGB IEC61966-2.1"),
            TestProfile.matrix(TestProfile.sRGB, curve: TestProfile.gamma(2.2), name: "sRGB IEC61966-2.1"),
            TestProfile.matrix(swapped, curve: TestProfile.parametricCurve, name: "sRGB IEC61966-2.1"),
            TestProfile.table(TestProfile.sRGB) { pow($0, 1.8) },
        ]
        for profile in profiles {
            #expect(try !isIgnored(profile))
            #expect(!ICCProfile.isSRGB(profile))
        }
    }

    @Test("sRGB by its numbers, whatever its name")
    func numbers() throws {
        let profiles = [
            TestProfile.matrix(TestProfile.sRGB, curve: TestProfile.parametricCurve, name: "c2"),
            TestProfile.matrix(TestProfile.sRGB, curve: TestProfile.sampledCurve(1_024, ExactColor.decoded)),
            TestProfile.matrix(TestProfile.sRGB, curve: TestProfile.sampledCurve(26, ExactColor.decoded)),
            try #require(ICCProfileWriter.profile(exponent: nil, primaries: .sRGB, isGray: false)),
        ]
        for profile in profiles {
            #expect(try isIgnored(profile))
            #expect(ICCProfile.colorSpace(of: profile) == .sRGB)
        }
        #expect(ICCProfile.isSRGB(TestProfile.gray(curve: TestProfile.parametricCurve)))
    }

    @Test("another colour model, a kind that describes no images, too few tags")
    func otherKinds() throws {
        let curve = [("kTRC", TestProfile.gamma(2.2))]
        let profiles = [
            TestProfile.profile(deviceClass: "prtr", colorSpace: "CMYK", connectionSpace: "Lab ", tags: curve),
            TestProfile.profile(deviceClass: "link", connectionSpace: "RGB ", tags: curve),
            TestProfile.profile(deviceClass: "abst", colorSpace: "Lab ", tags: curve),
            TestProfile.profile(deviceClass: "nmcl", tags: curve),
            TestProfile.profile(colorSpace: "Lab ", tags: curve),
            TestProfile.profile(tags: []),
            TestProfile.profile(colorSpace: "GRAY", tags: []),
        ]
        for profile in profiles { #expect(try isIgnored(profile)) }
    }

    @Test("a profile for grey on an image with colours")
    func grayOnColors() throws {
        #expect(try isIgnored(TestProfile.gray(curve: TestProfile.gamma(1))))
    }

    @Test("no profile at all, and one of more than 4 MiB")
    func sizes() throws {
        #expect(try isIgnored(Data()))
        #expect(try isIgnored(Data(count: 127)))
        #expect(try isIgnored(Self.displayP3 + Data(count: 4 << 20)))
    }

    @Test("colorants that are no place in space")
    func degenerate() throws {
        let zero = [(0.0, 0.0, 0.0), (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)]
        var bitmap = try ExactColor.colors()
        try bitmap.convertToSRGB(from: .icc(TestProfile.matrix(zero, curve: TestProfile.gamma(1))))
        #expect(bitmap.isOpaque && !bitmap.containsTransparency())
    }

    @Test("cut off anywhere, a profile is used or not, and nothing else happens")
    func truncation() throws {
        for profile in [Self.displayP3, TestProfile.gray(curve: TestProfile.sampledCurve(9) { $0 })] {
            for count in stride(from: 0, to: profile.count, by: 3) {
                var bitmap = try Bitmap(size: PixelSize(3, 2))
                try bitmap.convertToSRGB(from: .icc(profile.prefix(count)))
                #expect(bitmap.straightRGBA().allSatisfy { $0 == 0 })
            }
        }
    }

    @Test("with damage, alpha stays and colours stay below it")
    func damage() throws {
        var random = SeededRandom(seed: 20)
        let table = TestProfile.table(TestProfile.sRGB) { $0 * $0 }
        let profiles = [
            Self.displayP3, TestProfile.gray(curve: TestProfile.gamma(1.8)),
            TestProfile.matrix(TestProfile.sRGB, curve: TestProfile.sampledCurve(20) { $0 }), table,
        ]
        for round in 0..<160 {
            var bitmap = try TestImages.translucent(9, 3)
            let alphas = bitmap.straightRGBA().enumerated().filter { $0.offset % 4 == 3 }.map(\.element)
            if round % 2 == 0 { bitmap = try bitmap.converted(to: .sixteen) }
            try bitmap.convertToSRGB(from: .icc(random.damage(profiles[round % profiles.count])))
            let samples = try bitmap.converted(to: .eight).premultipliedBytes()
            for pixel in 0..<27 {
                #expect(samples[pixel * 4 + 3] == alphas[pixel])
                #expect((0..<3).allSatisfy { samples[pixel * 4 + $0] <= alphas[pixel] })
            }
        }
    }
}
