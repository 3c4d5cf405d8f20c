import CGTK
import Foundation
import Halcyon
import HalcyonTesting
import XCTest

@testable import HalcyonGTK

/// The number of pixels that an image has for its widget.
@MainActor
final class DisplaySizeTests: XCTestCase {
    private let loads = ViewPipeline()

    private func load(_ url: URL, in place: TestPlace, options: [ImageOption] = []) async {
        let done = Completions()
        place.display.setImage(with: url, options: options, pipeline: loads.pipeline, completion: done.handler)
        await done.wait()
        XCTAssertEqual(done.outcome, "success")
    }

    func testImageHasAsManyPixelsAsItsWidgetAtEachContentFit() async throws {
        let sizes: [(GtkContentFit, PixelSize)] = [
            (GTK_CONTENT_FIT_CONTAIN, PixelSize(100, 50)), (GTK_CONTENT_FIT_SCALE_DOWN, PixelSize(100, 50)),
            (GTK_CONTENT_FIT_COVER, PixelSize(200, 100)), (GTK_CONTENT_FIT_FILL, PixelSize(200, 100)),
        ]
        for (fit, size) in sizes {
            let place = try await TestPlace()
            gtk_picture_set_content_fit(place.picture, fit)
            await load(try loads.url(.blue, 400, 200), in: place)
            let scale = Int(gtk_widget_get_scale_factor(place.widget))
            XCTAssertEqual(place.imageSize, PixelSize(size.width * scale, size.height * scale))
            place.destroy()
        }
    }

    /// Runs the test above on a screen of two pixels a point.
    func testImageHasPixelsOfTheScaleFactor() async throws {
        try TestWindow.requireDisplay()
        let child = Process()
        child.executableURL = URL(fileURLWithPath: CommandLine.arguments[0])
        child.arguments = ["HalcyonGTKTests.DisplaySizeTests/testImageHasAsManyPixelsAsItsWidgetAtEachContentFit"]
        var environment = ProcessInfo.processInfo.environment
        environment["GDK_SCALE"] = "2"
        child.environment = environment
        let output = Pipe()
        child.standardOutput = output
        child.standardError = output
        try child.run()
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        child.waitUntilExit()
        XCTAssertEqual(child.terminationStatus, 0, text)
        XCTAssertTrue(text.contains("Executed 1 test"), text)
    }

    func testSmallSizeThatIsGivenIsOne() async throws {
        let place = try await TestPlace(PixelSize(16, 16))
        defer { place.destroy() }
        gtk_widget_set_size_request(place.widget, 16, 16)
        await load(try loads.url(.blue, 400, 400), in: place)
        let scale = Int(gtk_widget_get_scale_factor(place.widget))
        XCTAssertEqual(place.imageSize, PixelSize(16 * scale, 16 * scale))
    }

    func testHeightFollowsTheImageWhereOnlyTheWidthIsGiven() async throws {
        let place = try await TestPlace(nil)
        defer { place.destroy() }
        let width = place.size.width
        XCTAssertGreaterThan(width, 100)
        await load(try loads.url(.blue, 2 * width, width), in: place)
        XCTAssertEqual(place.imageSize, PixelSize(width, width / 2))
        await MainLoop.run { place.size.height > 1 }
        await MainLoop.settle()
        XCTAssertEqual(place.imageSize, PixelSize(width, width / 2))
        // The widget's natural size is that of the whole image, however many pixels were decoded.
        var natural: Int32 = 0
        gtk_widget_measure(place.widget, GTK_ORIENTATION_HORIZONTAL, -1, nil, &natural, nil, nil)
        XCTAssertEqual(Int(natural), 2 * width)
    }

    func testPictureThatTakesItsSizeFromItsImageLoadsItAsItIs() async throws {
        let place = try await TestPlace(nil)
        defer { place.destroy() }
        gtk_widget_set_halign(place.widget, GTK_ALIGN_START)
        await place.waitForFrame()
        await load(try loads.url(.blue, 90, 60), in: place)
        XCTAssertEqual(place.imageSize, PixelSize(90, 60))
    }

    func testImageIsLoadedAnewWhenItsWidgetGrowsAndNotWhenItShrinks() async throws {
        let place = try await TestPlace()
        defer { place.destroy() }
        await load(try loads.url(.blue, 800, 400), in: place)
        XCTAssertEqual(place.imageSize, PixelSize(100, 50))
        await place.resize(300, 300)
        await MainLoop.run { place.imageSize == PixelSize(300, 150) }
        await place.resize(120, 120)
        await MainLoop.settle()
        XCTAssertEqual(place.imageSize, PixelSize(300, 150))
        XCTAssertEqual(place.display.content, .image)
    }

    func testWidgetThatGrowsPixelByPixelIsNotFollowedAtEach() async throws {
        let place = try await TestPlace()
        defer { place.destroy() }
        await load(try loads.url(.blue, 800, 400), in: place)
        var sizes: [PixelSize?] = [place.imageSize]
        for side in 101...130 {
            await place.resize(side, side)
            await MainLoop.run { (place.imageSize?.width ?? 0) >= side }
            if place.imageSize != sizes[sizes.count - 1] { sizes.append(place.imageSize) }
        }
        XCTAssertEqual(sizes.map { $0?.width }, [100, 125, 156])
    }

    func testImageThatIsSmallerThanItsWidgetIsNotLoadedAnew() async throws {
        let place = try await TestPlace()
        defer { place.destroy() }
        let url = try loads.url(.blue, 60, 40)
        await load(url, in: place, options: [.noCache])
        await place.resize(300, 300)
        await MainLoop.settle()
        XCTAssertEqual(loads.transport.startedCount(url), 1)
        XCTAssertEqual(place.imageSize, PixelSize(60, 40))
    }

    func testWidgetThatGrewDuringTheLoadGetsItsPixelsAfterIt() async throws {
        let place = try await TestPlace()
        defer { place.destroy() }
        let done = Completions()
        let url = loads.url()
        place.display.setImage(with: url, pipeline: loads.pipeline, completion: done.handler)
        await MainLoop.run { self.loads.transport.startedCount == 1 }
        await place.resize(200, 200)
        let png = try TestColor.blue.png(400, 400)
        loads.transport.setRoute(url, ScriptedTransport.Route(body: png))
        try await loads.transport.nextTransfer().answer(.blue, 400, 400)
        await done.wait()
        await MainLoop.run { place.imageSize == PixelSize(200, 200) }
        XCTAssertEqual(done.count, 1)
    }

    func testHitInMemoryIsDrawnInTheFirstFrameOfTheWidget() async throws {
        let place = try await TestPlace(isVisible: false)
        defer { place.destroy() }
        let url = try loads.url(.blue, 400, 400)
        try await loads.preload(url)
        place.display.setImage(with: url, placeholder: try TestColor.red.image(), pipeline: loads.pipeline)
        let frames = try PaintedFrames(place.box)
        defer { frames.stop() }
        place.setVisible(true)
        await MainLoop.run { frames.frames.contains { $0[50, 50] == .blue } }
        XCTAssertFalse(frames.frames.contains { $0[50, 50] == .red })
    }

    /// Of the widget, on its screen.
    func testPointsArePointsOfTheWidget() async throws {
        let original = WidgetVisibility.surfaceScale
        WidgetVisibility.surfaceScale = { _ in 2 }
        defer { WidgetVisibility.surfaceScale = original }
        let corners = ImageOption.processor(.roundCorners(radius: .points(40)))
        // In an image of 200 × 200 pixels, 40 points leave a corner of 23 pixels transparent, and 40 pixels one of 11.
        let cases: [(options: [ImageOption], isTransparent: Bool)] = [
            ([corners], true), ([corners, .scaleFactor(1.01)], false),
            ([.processor(.roundCorners(radius: .pixels(40)))], false),
        ]
        for (options, isTransparent) in cases {
            let place = try await TestPlace()
            defer { place.destroy() }
            await load(try loads.url(.blue, 400, 400), in: place, options: options)
            XCTAssertEqual(place.imageSize, PixelSize(200, 200))
            let pixels = try await place.rendered()
            XCTAssertEqual(pixels[8, 8] == nil, isTransparent)
            XCTAssertEqual(pixels[15, 15], .blue)
        }
        let place = try await TestPlace()
        defer { place.destroy() }
        let size = ImageOption.targetSize(.points(width: 60, height: 60))
        await load(try loads.url(.blue, 400, 400), in: place, options: [size, corners])
        XCTAssertEqual(place.imageSize, PixelSize(120, 120))
        // The natural size of the widget is the same on every screen.
        XCTAssertEqual(place.controller?.paintable?.naturalSize.width, 60)
    }

    func testScaleNeedNotBeWhole() async throws {
        let original = WidgetVisibility.surfaceScale
        WidgetVisibility.surfaceScale = { _ in 1.25 }
        defer { WidgetVisibility.surfaceScale = original }
        let place = try await TestPlace()
        defer { place.destroy() }
        let done = Completions()
        let loads = ViewPipeline()
        place.display.setImage(
            with: try loads.url(.blue, 400, 400),
            pipeline: loads.pipeline,
            completion: done.handler
        )
        await done.wait()
        XCTAssertEqual(place.imageSize, PixelSize(125, 125))
    }
}
