import FoundationEssentials
import Testing

@testable import HalcyonCodecs

@Suite("ICC profile names")
struct ICCProfileTests {
    @Test("a version 2 profile's ASCII description is read")
    func version2() {
        let profile = ICCProfileBytes.version2("Adobe RGB (1998)")
        #expect(ICCProfile.description(of: profile) == "Adobe RGB (1998)")
        #expect(ICCProfile.colorSpace(of: profile) == .icc(description: "Adobe RGB (1998)"))
    }

    @Test("a version 4 profile's English description is preferred to others")
    func version4() {
        let profile = ICCProfileBytes.version4([("de", "Anzeige P3"), ("en", "Display P3 ❤️")])
        #expect(ICCProfile.description(of: profile) == "Display P3 ❤️")
        #expect(ICCProfile.description(of: ICCProfileBytes.version4([("de", "Anzeige P3")])) == "Anzeige P3")
    }

    @Test("a profile that only calls itself sRGB is what it calls itself")
    func standardName() {
        let profile = ICCProfileBytes.version2("sRGB IEC61966-2.1")
        #expect(ICCProfile.colorSpace(of: profile) == .icc(description: "sRGB IEC61966-2.1"))
    }

    @Test("bytes that are no profile have no colour space")
    func noProfile() {
        #expect(ICCProfile.colorSpace(of: Data()) == nil)
        #expect(ICCProfile.colorSpace(of: Data(repeating: 0x61, count: 500)) == nil)
    }

    @Test("a profile without a readable name is still a profile")
    func unnamed() {
        let profile = ICCProfileBytes.version2("")
        #expect(ICCProfile.description(of: profile) == nil)
        #expect(ICCProfile.colorSpace(of: profile) == .icc(description: "unnamed ICC profile"))
    }

    @Test("cut profiles and hostile counts, offsets and sizes end quietly")
    func hostile() {
        for profile in [ICCProfileBytes.version2("Gray"), ICCProfileBytes.version4([("en", "Gray")])] {
            for length in 0..<profile.count {
                let name = ICCProfile.description(of: profile.prefix(length))
                #expect(name == nil || "Gray".hasPrefix(name ?? "?"))
            }
            for offset in 128..<profile.count - 3 {
                var damaged = profile
                damaged.replaceSubrange(offset..<offset + 4, with: [0xff, 0xff, 0xff, 0xff])
                _ = ICCProfile.colorSpace(of: damaged)
            }
        }
    }
}
