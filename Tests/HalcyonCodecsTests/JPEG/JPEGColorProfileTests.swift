import FoundationEssentials
import HalcyonRaster
import Testing

@testable import HalcyonCodecs

@Suite("Colour profiles of JPEG files")
struct JPEGColorProfileTests {
    private func decode(
        _ samples: [Int],
        profile: Data,
        _ options: DecodeOptions = DecodeOptions()
    ) throws -> DecodedImage {
        var file = JPEGBytes(samples: samples)
        let half = profile.count / 2
        // In two parts, the second one first.
        file.segments =
            JPEGBytes.profileChunk(2, of: 2, profile.dropFirst(half))
            + JPEGBytes.profileChunk(1, of: 2, profile.prefix(half))
        return try JPEGDecoder().decode(file.data, options: options, isCancelled: { false })
    }

    private let wide = TestProfile.matrix(TestProfile.displayP3, curve: TestProfile.gamma(2.2), name: "Wide")
    private let gray = TestProfile.gray(curve: TestProfile.gamma(1))

    @Test("one for the file's colour model is handed out, and the pixels stay as they are")
    func handedOut() throws {
        let color = try decode([128, 128, 160], profile: wide)
        #expect(color.colorProfile == .icc(wide))
        #expect(color.bitmap[3, 3] == [173, 105, 128, 255])
        let brightness = try decode([100], profile: gray)
        #expect(brightness.colorProfile == .icc(gray))
        #expect(brightness.bitmap[3, 3] == [100, 100, 100, 255])
    }

    @Test("one for another colour model, sRGB by its numbers, or none at all, is not")
    func withheld() throws {
        let sRGB = TestProfile.matrix(TestProfile.sRGB, curve: TestProfile.parametricCurve, name: "c2")
        #expect(try decode([100], profile: wide).colorProfile == nil)
        #expect(try decode([128, 128, 160], profile: gray).colorProfile == nil)
        #expect(try decode([128, 128, 160], profile: sRGB).colorProfile == nil)
        #expect(try decode([128, 128, 160], profile: Data(count: 200)).colorProfile == nil)
    }

    @Test("grey by a profile of light becomes sRGB with all other formats")
    func convertedGray() throws {
        var file = JPEGBytes(samples: [55])
        file.segments = JPEGBytes.profileChunk(1, of: 1, gray)
        let image = try ImageCodecs.all.decode(file.data)
        #expect(image.colorProfile == nil)
        // (55 / 255) ^ (1 / 2.4) × 1.055 - 0.055 of 255.
        let sample = Int(image.bitmap[3, 3][0])
        #expect(abs(sample - 128) <= 2)
    }

    private let inks = TestProfile.inks

    @Test("inks become sRGB by their profile, with the Adobe segment and without, and by the plain formula as stored")
    func inkProfiles() throws {
        let converted = try decode([0, 255, 255, 255], profile: inks)
        #expect(converted.colorProfile == nil)
        // L* 80.
        #expect(converted.bitmap[3, 3].dropLast().allSatisfy { abs(Int($0) - 198) <= 2 })
        #expect(converted.bitmap[3, 3][3] == 255)
        #expect(converted.bitmap.isOpaque)
        let stored = try decode([0, 255, 255, 255], profile: inks, DecodeOptions(color: .asStored))
        #expect(stored.bitmap[3, 3] == [0, 255, 255, 255])
        #expect(stored.colorProfile == nil)
        var later = DecodeOptions()
        later.convertColorsLater()
        let early = try decode([0, 255, 255, 255], profile: inks, later)
        #expect(early.bitmap.greatestDifference(from: converted.bitmap) == 0 && early.colorProfile == nil)
        var marked = JPEGBytes(samples: [0, 255, 255, 255])
        marked.segments = JPEGBytes.adobe(transform: 0) + JPEGBytes.profileChunk(1, of: 1, inks)
        let upright = try JPEGDecoder().decode(marked.data, options: DecodeOptions(), isCancelled: { false })
        #expect(upright.bitmap.greatestDifference(from: converted.bitmap) == 0)
    }

    @Test("a profile of inks that is damaged leaves the plain formula")
    func damagedInks() throws {
        let profile = inks
        var random = SeededRandom(seed: 3)
        for length in [132, 200, 400, profile.count - 1] {
            _ = try decode([0, 255, 255, 255], profile: profile.prefix(length))
        }
        for _ in 0..<40 {
            var damaged = profile
            damaged[Int.random(in: 0..<300, using: &random)] = UInt8.random(in: 0...255, using: &random)
            #expect(try decode([0, 255, 255, 255], profile: damaged).bitmap.isOpaque)
        }
    }
}
