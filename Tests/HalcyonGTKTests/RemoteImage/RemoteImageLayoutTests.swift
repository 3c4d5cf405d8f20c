import CGTK
import Halcyon
import HalcyonGTK
import HalcyonTesting
import XCTest

@MainActor
final class RemoteImageLayoutTests: XCTestCase {
    private let pipeline = ViewPipeline()

    override func setUp() async throws { try TestWindow.requireDisplay() }

    /// Until the image is shown, the widget has the size of its placeholder; a fade then changes nothing but opacity.
    func testSizeComesFromPlaceholderUntilImageIsShown() async throws {
        let url = pipeline.url()
        var configuration = RemoteImage.Configuration()
        let placeholder = try Placeholder(coloredBox(60, 40))
        configuration.placeholder = .widget { placeholder.pointer }
        let test = try await TestRemoteImage(
            ImageRequest(url, options: [.transition(.fade(.milliseconds(400)))]),
            configuration,
            on: pipeline
        )
        XCTAssertEqual(test.size, PixelSize(60, 40))
        let before = try await test.pixels("placeholder")
        XCTAssertEqual(before[30, 20], .yellow)

        try await pipeline.nextTransfer().answer(.blue, 120, 90)
        var sizes: Set<PixelSize> = []
        var middles: [TestColor] = []
        await MainLoop.run { if case .loaded = test.image.state { true } else { false } }
        while test.image.hc.task?.state == .setting {
            let pixels = try await test.pixels()
            sizes.insert(PixelSize(pixels.width, pixels.height))
            if let color = pixels[60, 45] { middles.append(color) }
        }
        XCTAssertEqual(sizes, [PixelSize(120, 90)])
        XCTAssertTrue(middles.contains { $0.blue > 20 && $0.blue < 235 }, "\(middles)")
        await test.waitForFrame()
        let after = try await test.pixels("loaded")
        XCTAssertEqual(after[60, 45], .blue)
        XCTAssertEqual(gtk_widget_get_visible(placeholder.pointer.assumingMemoryBound(to: GtkWidget.self)), 0)
        test.window.destroy()
    }

    /// Behind an image that is transparent, the placeholder disappears with the fade, and is there again for the next load.
    func testPlaceholderDisappearsBehindTransparentImage() async throws {
        var configuration = RemoteImage.Configuration()
        let placeholder = try Placeholder(coloredBox(80, 80))
        configuration.placeholder = .widget { placeholder.pointer }
        let widget = placeholder.pointer.assumingMemoryBound(to: GtkWidget.self)
        let test = try await TestRemoteImage(
            ImageRequest(pipeline.url(), options: [.transition(.fade(.milliseconds(400)))]),
            configuration,
            on: pipeline
        )
        let clear = try ImageCodecs.standard.encode(Bitmap(size: PixelSize(80, 80)), as: .png)
        try await pipeline.nextTransfer().answer(ScriptedTransport.Route(body: clear))
        var opacities: Set<Double> = []
        await MainLoop.run {
            opacities.insert(gtk_widget_get_opacity(widget))
            return test.image.hc.task?.state == .finished
        }
        XCTAssertGreaterThan(opacities.count, 2)
        XCTAssertEqual(gtk_widget_get_visible(widget), 0)
        test.image.request = ImageRequest(pipeline.url())
        XCTAssertEqual(gtk_widget_get_visible(widget), 1)
        XCTAssertEqual(gtk_widget_get_opacity(widget), 1)
        test.window.destroy()
    }

    private struct Placeholder: @unchecked Sendable {  // Used on the main actor alone.
        let pointer: UnsafeMutableRawPointer
        init(_ pointer: UnsafeMutableRawPointer) { self.pointer = pointer }
    }

    /// The image is not decoded for the size of the placeholder, but for that which the container gives.
    func testPlaceholderDoesNotDecideTheSizeOfTheImage() async throws {
        var configuration = RemoteImage.Configuration()
        configuration.placeholder = .spinner
        let url = try pipeline.url(.green, 150, 100)
        let own = try await TestRemoteImage(ImageRequest(url), configuration, on: pipeline)
        await own.waitUntilLoaded()
        XCTAssertEqual(own.image.image?.size, PixelSize(150, 100))
        XCTAssertEqual(own.size, PixelSize(150, 100))
        own.window.destroy()

        let large = try pipeline.url(.green, 800, 800)
        let given = try await TestRemoteImage(
            ImageRequest(large),
            configuration,
            on: pipeline,
            size: PixelSize(100, 100)
        )
        await given.waitUntilLoaded()
        XCTAssertEqual(given.image.image?.size, PixelSize(100, 100))
        given.window.destroy()
    }

    /// With a ratio, the height is there before the image, and stays.
    func testAspectRatioHoldsBeforeTheLoad() async throws {
        var configuration = RemoteImage.Configuration()
        configuration.aspectRatio = 2
        let test = try await TestRemoteImage(ImageRequest(pipeline.url()), configuration, on: pipeline)
        gtk_widget_set_halign(test.widget, GTK_ALIGN_FILL)
        await test.waitForFrame()
        XCTAssertEqual(test.size, PixelSize(200, 100))
        try await pipeline.nextTransfer().answer(.red, 400, 200)
        await test.waitUntilLoaded()
        XCTAssertEqual(test.size, PixelSize(200, 100))
        XCTAssertEqual(test.image.image?.size, PixelSize(200, 100))
        test.window.destroy()
    }

    /// An image of another ratio than the widget's stands where it is aligned, and for both directions of writing.
    func testAlignment() async throws {
        var configuration = RemoteImage.Configuration()
        configuration.horizontalAlignment = .start
        let tall = try pipeline.url(.red, 50, 100)
        let test = try await TestRemoteImage(ImageRequest(tall), configuration, on: pipeline, isFilling: true)
        await test.waitUntilLoaded()
        var pixels = try await test.pixels()
        XCTAssertEqual(pixels[5, 100], .red)
        XCTAssertNil(pixels[195, 100])
        gtk_widget_set_direction(test.widget, GTK_TEXT_DIR_RTL)
        pixels = try await test.pixels()
        XCTAssertNil(pixels[5, 100])
        XCTAssertEqual(pixels[195, 100], .red)

        configuration.horizontalAlignment = .end
        configuration.contentFit = .scaleDown
        configuration.verticalAlignment = .end
        gtk_widget_set_direction(test.widget, GTK_TEXT_DIR_LTR)
        test.image.configuration = configuration
        pixels = try await test.pixels()
        XCTAssertEqual(pixels[195, 195], .red)
        XCTAssertEqual(pixels[155, 105], .red)
        XCTAssertNil(pixels[145, 150])
        XCTAssertNil(pixels[175, 95])

        configuration.contentFit = .cover
        configuration.verticalAlignment = .center
        test.image.configuration = configuration
        pixels = try await test.pixels()
        XCTAssertEqual(pixels.count { $0 == .red }, 200 * 200)
        test.window.destroy()
    }
}
