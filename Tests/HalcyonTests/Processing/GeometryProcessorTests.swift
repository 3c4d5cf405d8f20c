import HalcyonTesting
import Testing

@testable import Halcyon

@Suite("Processors of shape and place")
struct GeometryProcessorTests {
    private let bitmap = Sample.bitmap(64, 48)

    private var image: DecodedImage {
        DecodedImage(bitmap: bitmap, info: ImageInfo(format: .png, size: bitmap.size))
    }

    @Test("make bitmaps of the size that they announce", arguments: ProcessorExamples.families)
    func workingSize(family: ProcessorExamples.Family) throws {
        for chain in family.chains where family.name != "resize" && family.name != "target size" {
            guard let processor = chain.steps.first?.processor else { continue }
            let result = try processor.process(image) { false }
            #expect(result.size == processor.workingSize(for: image), "\(processor)")
            #expect(processor.decodeTarget == .full)
        }
    }

    @Test("cut out rectangles in pixels, points and parts of the sides")
    func cropAreas() throws {
        let expected = try bitmap.cropped(to: PixelRect(x: 16, y: 12, width: 32, height: 24))
        for chain in [
            ImageProcessorChain.crop(to: .pixels(x: 16, y: 12, width: 32, height: 24)),
            .crop(to: .points(x: 8, y: 6, width: 16, height: 12)),
            .crop(to: .relative(x: 0.25, y: 0.25, width: 0.5, height: 0.5)),
        ] {
            var image = image
            image.scale = 2
            #expect(try chain.process(image).bitmap.hasSamePixels(as: expected))
        }
    }

    @Test("cannot cut out what an image does not have")
    func emptyArea() {
        let areas: [CropArea] = [
            .pixels(x: 64, y: 0, width: 9, height: 9), .points(x: 0, y: 0, width: -1, height: 1),
            .relative(x: 0, y: 1, width: 1, height: 1),
        ]
        for area in areas {
            #expect(throws: ProcessingError.emptyArea(area, of: bitmap.size)) {
                try ImageProcessorChain(CropAreaProcessor(area: area)).process(image)
            }
        }
    }

    @Test("cut a disc out of the middle")
    func circle() throws {
        let border = Border(width: .shorterSideFraction(0.125), color: .white)
        let result = try ImageProcessorChain.circle(border: border).process(image).bitmap
        let square = try bitmap.cropped(to: PixelRect(x: 8, y: 0, width: 48, height: 48))
        let expected = try square.roundingCorners(CornerRadii(24), border: PixelBorder(width: 6, color: .white))
        #expect(result.hasSamePixels(as: expected))
    }

    @Test("turn lengths in points into pixels")
    func points() throws {
        var image = image
        image.scale = 3
        let border = Border(width: .points(2), color: .white)
        let result = try ImageProcessorChain.roundCorners(radius: .points(4), border: border).process(image)
        let expected = try bitmap.roundingCorners(CornerRadii(12), border: PixelBorder(width: 6, color: .white))
        #expect(result.bitmap.hasSamePixels(as: expected))
        #expect(result.scale == 3)
    }

    @Test("say whether a smaller image would show the same")
    func scaling() {
        let relative = Border(width: .shorterSideFraction(0.1))
        let scaling: [ImageProcessorChain] = [
            .flip(.horizontal), .circle(), .circle(border: relative), .border(relative),
            .crop(to: .relative(x: 0, y: 0, width: 0.5, height: 1)), .rotate(byDegrees: 3, expands: false),
            .roundCorners(radius: .widthFraction(0.1), corners: .top, border: relative),
        ]
        let fixed: [ImageProcessorChain] = [
            .circle(border: Border()), .border(Border()), .crop(to: .pixels(x: 0, y: 0, width: 5, height: 5)),
            .rotate(byDegrees: 3), .roundCorners(radius: .widthFraction(0.1), border: Border()),
            .roundCorners(RoundedCorners(topLeft: .widthFraction(0.1), topRight: .pixels(5))),
        ]
        #expect(scaling.allSatisfy { $0.steps.allSatisfy { $0.processor.scalesWithImage } })
        #expect(!fixed.contains { $0.steps.contains { $0.processor.scalesWithImage } })
    }
}
