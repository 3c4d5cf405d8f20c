import FoundationEssentials
import HalcyonCodecs
import HalcyonRaster
import Testing

@Suite("What counts as an animation")
struct AnimatedInfoTests {
    private let size = PixelSize(4, 4)

    @Test("frames that follow each other do")
    func frames() {
        let info = ImageInfo(format: .gif, size: size, frameCount: 2, frameDurations: [0, 100], loopCount: 0)
        #expect(info.isAnimated)
    }

    @Test("one frame, pages and the entries of icons do not")
    func images() {
        #expect(!ImageInfo(format: .gif, size: size, frameDurations: [100]).isAnimated)
        #expect(!ImageInfo(format: .tiff, size: size, frameCount: 3).isAnimated)
        #expect(!ImageInfo(format: .ico, size: size, frameCount: 4).isAnimated)
    }
}

@Suite("What is known of a file beside its image")
struct FileTraitsTests {
    @Test("is stored with a description, does not tell it from others, and may be absent")
    func stored() throws {
        let plain = ImageInfo(format: .webp, size: PixelSize(2, 1))
        var info = plain
        info.file.isLossless = true
        #expect(info == plain && info.hashValue == plain.hashValue)
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        let text = String(decoding: try encoder.encode(info), as: UTF8.self)
        let earlier = text.replacing(#""file":{"isLossless":true},"#, with: "")
        #expect(earlier != text)
        for (text, isLossless) in [(text, true), (earlier, nil)] {
            let read = try JSONDecoder().decode(ImageInfo.self, from: Data(text.utf8))
            #expect(read == plain && read.file.isLossless == isLossless && read.file.hasEnd == nil)
        }
    }
}
