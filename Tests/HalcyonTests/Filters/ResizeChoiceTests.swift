import HalcyonTesting
import Testing

@testable import Halcyon

@Suite("Resizing")
struct ResizeChoiceTests {
    private let image: DecodedImage

    init() throws {
        var bitmap = try Bitmap(size: PixelSize(40, 20), isOpaque: true)
        bitmap.fill(PixelRect(size: bitmap.size), with: .black)
        // White columns at the left, one of two.
        for x in stride(from: 0, to: 20, by: 2) {
            bitmap.fill(PixelRect(x: x, y: 0, width: 1, height: 20), with: .white)
        }
        image = DecodedImage(bitmap: bitmap, info: ImageInfo(format: .png, size: bitmap.size))
    }

    @Test("to fill keeps the part at the anchor")
    func anchor() throws {
        func filled(_ anchor: RelativePoint) throws -> Bitmap {
            try ImageProcessorChain.resize(to: PixelSize(20, 20), mode: .fill, anchor: anchor).process(image).bitmap
        }
        #expect(try filled(.topLeft).hasSamePixels(as: image.bitmap.cropped(to: PixelRect(size: PixelSize(20, 20)))))
        #expect(try filled(.bottomRight).pixel(0, 0)[0] == 0)
        #expect(try filled(.bottomRight).size == PixelSize(20, 20))
    }

    @Test("takes the filter and the light that are asked for")
    func resampling() throws {
        let size = PixelSize(20, 10)
        for filter in ResamplingFilter.allCases {
            for isInLinearLight in [false, true] {
                let resampling = Resampling(filter: filter, isInLinearLight: isInLinearLight)
                let result = try ImageProcessorChain.resize(to: size, resampling: resampling).process(image).bitmap
                let expected =
                    isInLinearLight
                    ? try image.bitmap.resampledInLinearLight(to: size, filter: filter)
                    : try image.bitmap.resampled(to: size, filter: filter)
                #expect(result.hasSamePixels(as: expected))
            }
        }
    }

    @Test("never enlarges if told so, whatever the choice")
    func enlarging() throws {
        let chain = ImageProcessorChain.resize(to: PixelSize(80, 80), enlarges: false, resampling: .linearLight)
        #expect(try chain.process(image).size == image.size)
    }

    @Test("lets a decoder reduce the image only where that shows in nothing, and takes points by the scale")
    func requirements() {
        let size = PixelSize(20, 10)
        func target(_ resampling: Resampling) -> DecodeTarget {
            ResizeProcessor(size: size, mode: .fit, enlarges: true, resampling: resampling).decodeTarget
        }
        #expect(target(.standard) == .resized(size, .fit) && target(Resampling(filter: .box)) == .resized(size, .fit))
        #expect(target(.linearLight) == .full && target(Resampling(filter: .nearest)) == .full)
        let points = ResizeProcessor(
            size: PointSize(20, 10),
            mode: .fill,
            enlarges: false,
            anchor: .topLeft,
            resampling: .linearLight
        )
        let pixels = ResizeProcessor(
            size: PixelSize(40, 20),
            mode: .fill,
            enlarges: false,
            anchor: .topLeft,
            resampling: .linearLight
        )
        #expect(points.inPixels(atScale: 2) == pixels)
    }

    @Test("has colours converted before it in linear light, and after it otherwise")
    func colors() {
        let size = PixelSize(20, 10)
        #expect(ImageProcessorChain.resize(to: size).resizesFirst)
        #expect(!ImageProcessorChain.resize(to: size, resampling: .linearLight).resizesFirst)
    }
}
