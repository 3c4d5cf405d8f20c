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
