import Halcyon
import HalcyonTesting
import Testing

@testable import HalcyonServer
@testable import ServerURLs

@Suite("The sizes of a plan")
struct SizeProcessorTests {
    private let source = PixelSize(400, 200)

    private func size(_ change: (inout ImagePlan.Size) -> Void) -> ImagePlan.Size {
        var size = ImagePlan.Size()
        change(&size)
        return size
    }

    private func layout(_ change: (inout ImagePlan.Size) -> Void) -> SizeProcessor.Layout {
        SizeProcessor(size(change), isFirst: true).layout(for: source)
    }

    @Test("A least side enlarges the image, and the size cuts it")
    func least() {
        let layout = layout { ($0.width, $0.leastHeight) = (.pixels(100), 80) }
        #expect(layout == .init(scaled: PixelSize(160, 80), area: PixelSize(100, 80)))
    }

    @Test("Filling down cuts a smaller image to the ratio of the size")
    func fillDown() {
        let layout = layout { ($0.width, $0.height, $0.mode) = (.pixels(800), .pixels(800), .fillDown) }
        #expect(layout == .init(scaled: PixelSize(400, 200), area: PixelSize(200, 200)))
    }

    @Test("The automatic mode fills where image and size lie alike, and fits elsewhere")
    func automatic() {
        #expect(layout { ($0.width, $0.height, $0.mode) = (.pixels(90), .pixels(60), .auto) }.area == PixelSize(90, 60))
        #expect(layout { ($0.width, $0.height, $0.mode) = (.pixels(60), .pixels(90), .auto) }.area == PixelSize(60, 30))
    }

    @Test("An image around a size is not cut")
    func around() {
        #expect(
            layout { ($0.width, $0.height, $0.mode) = (.pixels(60), .pixels(60), .around) }.area == PixelSize(120, 60)
        )
    }

    @Test("An adaptive size changes its sides for an image that lies the other way")
    func adaptive() {
        let layout = layout { ($0.width, $0.height, $0.isAdaptive) = (.pixels(50), .pixels(100), true) }
        #expect(layout.area == PixelSize(100, 50))
    }

    @Test("A side of the image stays where the size says so")
    func original() {
        let layout = layout { ($0.width, $0.height, $0.mode) = (.pixels(100), .original, .stretch) }
        #expect(layout.area == PixelSize(100, 200))
    }

    @Test("Zoom and density multiply the size, and an image is enlarged only where that is allowed")
    func factors() {
        #expect(layout { ($0.width, $0.zoomX, $0.zoomY) = (.pixels(100), 2, 2) }.area == PixelSize(200, 100))
        #expect(layout { ($0.width, $0.density) = (.pixels(100), 3) }.area == PixelSize(300, 150))
        #expect(layout { ($0.width, $0.density) = (.pixels(300), 3) }.area == PixelSize(400, 200))
        #expect(layout { ($0.width, $0.density, $0.enlarges) = (.pixels(300), 3, true) }.area == PixelSize(900, 450))
        #expect(layout { ($0.zoomX, $0.zoomY) = (0.5, 0.5) }.area == PixelSize(200, 100))
    }

    @Test("The result is the one of the library's own processor where the rules are the same")
    func plain() throws {
        let image = DecodedImage(
            bitmap: try TestImage.bitmap(400, 200, PixelRect(x: 0, y: 0, width: 100, height: 100)),
            info: ImageInfo(format: .png, size: source)
        )
        let size = size {
            ($0.width, $0.height, $0.mode, $0.gravity) = (.pixels(50), .pixels(50), .fill, .anchor(x: 0, y: 0))
        }
        let own = try SizeProcessor(size, isFirst: true).process(image, isCancelled: { false })
        let resize = ImageProcessorChain.resize(to: .pixels(50, 50), mode: .fill, enlarges: false, anchor: .topLeft)
        let library = try resize.process(image, isCancelled: { false })
        #expect(own.size == library.size)
        #expect(own.bitmap.color(at: PixelPoint(10, 10)) == library.bitmap.color(at: PixelPoint(10, 10)))
        #expect(own.bitmap.color(at: PixelPoint(40, 40)) == library.bitmap.color(at: PixelPoint(40, 40)))
    }

    @Test("Squares of one colour take little more memory than the image, also those that are larger than it")
    func squares() throws {
        let image = DecodedImage(
            bitmap: try TestImage.bitmap(100, 40, PixelRect(x: 0, y: 0, width: 50, height: 40)),
            info: ImageInfo(format: .png, size: PixelSize(100, 40))
        )
        #expect(PixelateProcessor(size: 8).workingSize(for: image) == PixelSize(104, 40))
        #expect(PixelateProcessor(size: 64).workingSize(for: image) == PixelSize(128, 40))
        #expect(PixelateProcessor(size: 8_000).workingSize(for: image) == image.size)
        let one = try PixelateProcessor(size: 8_000).process(image, isCancelled: { false })
        #expect(one.size == image.size)
        #expect(one.bitmap.color(at: PixelPoint(0, 0)) == one.bitmap.color(at: PixelPoint(99, 39)))
    }

    @Test("A decoder gives no more than a size needs, and all where a part is cut out first")
    func decodeTarget() {
        let fill = size { ($0.width, $0.height, $0.mode, $0.gravity) = (.pixels(50), .pixels(60), .fill, .smart) }
        #expect(SizeProcessor(fill, isFirst: true).decodeTarget == .resized(PixelSize(50, 60), .fill, enlarges: false))
        #expect(SizeProcessor(fill, isFirst: false).decodeTarget == .full)
    }
}

@Suite("Parts and places of a plan")
struct PlacementTests {
    private func image(_ bitmap: Bitmap, isAnimated: Bool = false) -> DecodedImage {
        var info = ImageInfo(format: .gif, size: bitmap.size)
        if isAnimated { (info.frameCount, info.frameDurations) = (2, [100, 100]) }
        return DecodedImage(bitmap: bitmap, info: info)
    }

    private func place(_ gravity: ImagePlan.Gravity, _ bitmap: Bitmap, isAnimated: Bool = false) throws -> PixelRect {
        try Placement(gravity: gravity, density: 1).rectangle(
            of: PixelSize(40, 40),
            in: image(bitmap, isAnimated: isAnimated),
            standingFor: bitmap.size,
            isCancelled: { false }
        )
    }

    @Test("Offsets lead away from the edges, as pixels or as parts")
    func offsets() throws {
        let bitmap = try TestImage.bitmap(100, 100)
        #expect(try place(.anchor(x: 1, y: 0, offsetX: 10, offsetY: 0.05), bitmap).origin == PixelPoint(50, 5))
        #expect(try place(.anchor(x: 0.5, y: 0.5, offsetX: 10), bitmap).origin == PixelPoint(40, 30))
        #expect(try place(.anchor(x: 1, y: 1, offsetX: -50), bitmap).origin == PixelPoint(60, 60))
    }

    @Test("A focus is in the middle, as far as the edges allow")
    func focus() throws {
        let bitmap = try TestImage.bitmap(100, 100)
        #expect(try place(.focus(x: 0.5, y: 0.3), bitmap).origin == PixelPoint(30, 10))
        #expect(try place(.focus(x: 0, y: 1), bitmap).origin == PixelPoint(0, 60))
        #expect(try place(.focusPixels(x: 70, y: 50), bitmap).origin == PixelPoint(50, 30))
    }

    @Test(
        "Smart gravity finds a detailed, coloured part in an even image",
        arguments: [(10, 12), (200, 20), (150, 90), (20, 100)]
    )
    func smart(x: Int, y: Int) throws {
        var bitmap = try TestImage.bitmap(300, 150, background: Color(white: 0.8))
        for row in 0..<6 {
            for column in 0..<6 where (row + column).isMultiple(of: 2) {
                let square = PixelRect(x: x + column * 5, y: y + row * 5, width: 5, height: 5)
                bitmap.fill(square, with: Color(red: 0.9, green: 0.3, blue: 0.1))
            }
        }
        let found = try place(.smart, bitmap)
        #expect(found.intersection(PixelRect(x: x, y: y, width: 30, height: 30)).size == PixelSize(30, 30))
    }

    @Test("Smart gravity takes the middle of an even image, and of every frame of an animation")
    func smartMiddle() throws {
        let even = try TestImage.bitmap(100, 100)
        #expect(try place(.smart, even).origin == PixelPoint(30, 30))
        let corner = try TestImage.bitmap(100, 100, PixelRect(x: 0, y: 0, width: 20, height: 20))
        #expect(try place(.smart, corner).origin != PixelPoint(30, 30))
        #expect(try place(.smart, corner, isAnimated: true).origin == PixelPoint(30, 30))
    }

    @Test("A part of a size is cut out at its place, in pixels and parts of the sides")
    func cut() throws {
        let bitmap = try TestImage.bitmap(100, 100, PixelRect(x: 80, y: 0, width: 20, height: 50))
        let processor = CutProcessor(
            width: 20,
            height: 0.5,
            placement: Placement(gravity: .anchor(x: 1, y: 0), density: 1)
        )
        let result = try processor.process(image(bitmap), isCancelled: { false })
        #expect(result.size == PixelSize(20, 50))
        #expect(result.bitmap.color(at: PixelPoint(0, 49)) == .black)
    }

    @Test("A border of one colour is removed, alike on both sides where that is asked for, and never from an animation")
    func trim() throws {
        let bitmap = try TestImage.bitmap(100, 60, PixelRect(x: 10, y: 5, width: 50, height: 40))
        func size(_ isAnimated: Bool = false, _ change: (inout ImagePlan.Trim) -> Void = { _ in }) throws -> PixelSize {
            var trim = ImagePlan.Trim()
            change(&trim)
            return try TrimProcessor(trim: trim).process(image(bitmap, isAnimated: isAnimated), isCancelled: { false })
                .size
        }
        #expect(try size() == PixelSize(50, 40))
        #expect(try size { $0.isEqualHorizontally = true } == PixelSize(80, 40))
        #expect(try size { $0.isEqualVertically = true } == PixelSize(50, 50))
        #expect(try size { $0.color = .init(hex: "00ff00") } == PixelSize(100, 60))
        #expect(try size { $0.tolerance = 255 } == PixelSize(100, 60))
        #expect(try size(true) == PixelSize(100, 60))
    }

    @Test("A larger area has the colour beside the image, and transparent pixels of the image stay transparent")
    func canvas() throws {
        var bitmap = try Bitmap(size: PixelSize(10, 10))
        bitmap.fill(PixelRect(x: 0, y: 0, width: 5, height: 10), with: .black)
        let processor = CanvasProcessor(
            area: .size(PixelSize(20, 0)),
            placement: Placement(gravity: .anchor(x: 1, y: 0), density: 1),
            color: .init(red: 255, green: 0, blue: 0)
        )
        let result = try processor.process(image(bitmap), isCancelled: { false }).bitmap
        #expect(result.size == PixelSize(20, 10))
        let colors = [0, 9, 10, 14, 15, 19].map { result.color(at: PixelPoint($0, 5)) }
        let red = Color(red: 1, green: 0, blue: 0)
        #expect(colors == [red, red, .black, .black, .clear, .clear])
    }

    @Test("An opaque image in an opaque area is opaque, so that it may become a JPEG")
    func opaqueCanvas() throws {
        let processor = CanvasProcessor(
            area: .padding(top: 1, right: 2, bottom: 3, left: 4),
            placement: Placement(gravity: .center, density: 1),
            color: .init(red: 0, green: 0, blue: 0)
        )
        let result = try processor.process(image(TestImage.bitmap(10, 10)), isCancelled: { false }).bitmap
        #expect(result.size == PixelSize(16, 14) && result.isOpaque)
        #expect(result.color(at: PixelPoint(4, 1)) == .white && result.color(at: PixelPoint(3, 1)) == .black)
    }

    @Test("Squares have one colour, also where the image ends within one")
    func pixelate() throws {
        let bitmap = try TestImage.bitmap(25, 15, PixelRect(x: 0, y: 0, width: 5, height: 10))
        let result = try PixelateProcessor(size: 10).process(image(bitmap), isCancelled: { false }).bitmap
        #expect(result.size == PixelSize(25, 15))
        #expect(result.color(at: PixelPoint(0, 0)) == result.color(at: PixelPoint(9, 9)))
        #expect(result.color(at: PixelPoint(10, 0)) == result.color(at: PixelPoint(24, 0)))
        #expect(result.color(at: PixelPoint(0, 0)) != result.color(at: PixelPoint(10, 0)))
    }
}
