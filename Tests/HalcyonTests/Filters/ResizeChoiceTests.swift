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
            try ImageProcessorChain.resize(to: .pixels(20, 20), mode: .fill, anchor: anchor).process(image).bitmap
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
                let result = try ImageProcessorChain.resize(to: .pixels(size), resampling: resampling).process(image)
                    .bitmap
                let expected =
                    isInLinearLight
                    ? try image.bitmap.resampledInLinearLight(to: size, filter: filter)
                    : try image.bitmap.resampled(to: size, filter: filter)
                #expect(result.hasSamePixels(as: expected))
            }
        }
    }

    @Test("to fill makes nothing of what is cut off", arguments: ResamplingFilter.allCases, [false, true])
    func thinImages(filter: ResamplingFilter, isInLinearLight: Bool) throws {
        func image(_ bitmap: Bitmap) -> DecodedImage {
            DecodedImage(bitmap: bitmap, info: ImageInfo(format: .png, size: bitmap.size))
        }
        let resampling = Resampling(filter: filter, isInLinearLight: isInLinearLight)
        func fill(_ side: Int) -> ResizeProcessor {
            ResizeProcessor(size: .pixels(side, side), mode: .fill, enlarges: true, resampling: resampling)
        }
        let corners = ImageProcessorChain.roundCorners(radius: .pixels(2))
        // Scaled, a line of 40,000 pixels would be 800,000 pixels long, or 80,000,000.
        let line = image(Sample.noise(1, 40_000))
        #expect(fill(20).workingSize(for: line).width == 20 && fill(20).workingSize(for: line).height < 1_000)
        let alone = try ImageProcessorChain(fill(20)).process(line)
        #expect(alone.size == PixelSize(20, 20))
        let joined = try (ImageProcessorChain(fill(20)) |> corners).process(line)
        #expect(joined.bitmap.hasSamePixels(as: try corners.process(alone).bitmap))
        for chain in [ImageProcessorChain(fill(2_000)), ImageProcessorChain(fill(2_000)) |> corners] {
            #expect(throws: BitmapError.invalidSize(PixelSize(2_000, 80_000_000))) { try chain.process(line) }
        }
        // What is left has the pixels that it would have if all were made.
        let noise = image(Sample.noise(37, 90))
        let scaled = PixelSize(23, 56)
        let whole = try resampling.resample(noise.bitmap, to: scaled, part: PixelRect(size: scaled)) { false }
        let middle = PixelRect(origin: PixelPoint(0, 17), size: PixelSize(23, 23))
        #expect(try fill(23).process(noise) { false }.bitmap.hasSamePixels(as: whole.cropped(to: middle)))
    }

    @Test("in linear light counts the rows that are summed")
    func linearLightMemory() throws {
        let image = DecodedImage(
            bitmap: Sample.bitmap(64, 1_000),
            info: ImageInfo(format: .png, size: PixelSize(64, 1_000))
        )
        func processor(_ resampling: Resampling) -> ResizeProcessor {
            ResizeProcessor(size: .pixels(64, 1), mode: .stretch, enlarges: true, resampling: resampling)
        }
        #expect(processor(.standard).workingSize(for: image) == PixelSize(64, 1))
        // All 1,000 rows, the one read last and the sum, of 16 bytes a pixel.
        let size = processor(.linearLight).workingSize(for: image)
        #expect(size.width == 64 && size.area * 4 >= 1_002 * 64 * 16)
        let same = ResizeProcessor(size: .pixels(image.size), mode: .fit, enlarges: true, resampling: .linearLight)
        #expect(same.workingSize(for: image) == image.size)
    }

    @Test("counts the weights of a very long image, alone and with others in one pass")
    func weightsOfLongImages() throws {
        let bitmap = try Bitmap(size: PixelSize(70_000, 1), isOpaque: true)
        let image = DecodedImage(bitmap: bitmap, info: ImageInfo(format: .png, size: bitmap.size))
        let resize = ResizeProcessor(size: .pixels(69_000, 1), mode: .stretch, enlarges: true)
        let size = resize.workingSize(for: image)
        // Seven weights a pixel at least, of 10 bytes each.
        #expect(size.width == 69_000 && size.area * 4 >= 69_000 * (4 + 7 * 10))
        let chain = ImageProcessorChain(resize) |> .roundCorners(radius: .pixels(2))
        let run = try ProcessingRun(chain.steps[...], on: image)
        #expect(run.steps.count == 2 && run.workingSize(for: image) == size)
        #expect(try run.process(image, isCancelled: { false }).size == PixelSize(69_000, 1))
        // A part of it has few.
        let fill = ResizeProcessor(size: .pixels(100, 2), mode: .fill, enlarges: true)
        #expect(fill.workingSize(for: image) == PixelSize(100, 2))
    }

    @Test("never enlarges if told so, whatever the choice")
    func enlarging() throws {
        let chain = ImageProcessorChain.resize(to: .pixels(80, 80), enlarges: false, resampling: .linearLight)
        #expect(try chain.process(image).size == image.size)
    }

    @Test("lets a decoder reduce the image only where that shows in nothing, and takes points by the scale")
    func requirements() {
        let size = PixelSize(20, 10)
        func target(_ resampling: Resampling) -> DecodeTarget {
            ResizeProcessor(size: .pixels(size), mode: .fit, enlarges: true, resampling: resampling).decodeTarget
        }
        #expect(target(.standard) == .resized(size, .fit) && target(Resampling(filter: .box)) == .resized(size, .fit))
        #expect(target(.linearLight) == .full && target(Resampling(filter: .nearest)) == .full)
        let points = ResizeProcessor(
            size: .points(20, 10),
            mode: .fill,
            enlarges: false,
            anchor: .topLeft,
            resampling: .linearLight
        )
        let pixels = ResizeProcessor(
            size: .pixels(40, 20),
            mode: .fill,
            enlarges: false,
            anchor: .topLeft,
            resampling: .linearLight
        )
        #expect(points.inPixels(atScale: 2) == pixels)
    }

    @Test("has colours converted before it in linear light, and after it otherwise")
    func colors() {
        let size = ImageSize.pixels(20, 10)
        #expect(ImageProcessorChain.resize(to: size).resizesFirst)
        #expect(!ImageProcessorChain.resize(to: size, resampling: .linearLight).resizesFirst)
    }
}
