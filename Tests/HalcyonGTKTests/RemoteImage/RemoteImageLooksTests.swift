import CGTK
import Glibc
import Halcyon
import HalcyonGTK
import HalcyonTesting
import XCTest

@MainActor
final class RemoteImageLooksTests: XCTestCase {
    private let pipeline = ViewPipeline()

    override func setUp() async throws { try TestWindow.requireDisplay() }

    /// Left and right are exchanged in a widget that runs from right to left.
    func testMirroring() async throws {
        var bitmap = try TestColor.blue.bitmap(80, 80)
        let bytesPerRow = bitmap.bytesPerRow
        bitmap.withUnsafeMutableBytes { bytes in
            for y in 0..<80 {
                for x in 0..<40 { (bytes[y * bytesPerRow + x * 4], bytes[y * bytesPerRow + x * 4 + 2]) = (255, 0) }
            }
        }
        var rendering = ImageRendering()
        rendering.mirrorsInRightToLeft = true
        let data = try ImageCodecs.standard.encode(bitmap, as: .png)
        let request = ImageRequest(.data(data), options: [.rendering(rendering)])
        let test = try await TestRemoteImage(request, on: pipeline)
        await test.waitUntilLoaded()
        var pixels = try await test.pixels("left-to-right")
        XCTAssertEqual([pixels[10, 40], pixels[70, 40]], [.red, .blue])
        gtk_widget_set_direction(test.pictureWidget, GTK_TEXT_DIR_RTL)
        pixels = try await test.pixels("right-to-left")
        XCTAssertEqual([pixels[10, 40], pixels[70, 40]], [.blue, .red])
        test.window.destroy()
    }

    /// A symbolic image has the colour of text, in the light and in the dark style.
    func testSymbolicImageInLightAndDark() async throws {
        let settings = try UnsafeMutableRawPointer(XCTUnwrap(gtk_settings_get_default()))
        let url = try pipeline.url(.magenta)
        let test = try await TestRemoteImage(ImageRequest(url, options: [.rendering(.symbolic)]), on: pipeline)
        await test.waitUntilLoaded()
        let light = try await test.pixels("symbolic-light")[40, 40]
        setBoolean(settings, "gtk-application-prefer-dark-theme", true)
        defer { setBoolean(settings, "gtk-application-prefer-dark-theme", false) }
        await test.waitForFrame()
        let dark = try await test.pixels("symbolic-dark")[40, 40]
        XCTAssertLessThan(try XCTUnwrap(light).green, 100)
        XCTAssertGreaterThan(try XCTUnwrap(dark).green, 150)
        test.window.destroy()
    }

    /// Assistive technologies get a role, a name and the busy state; a decorative image says nothing.
    func testAccessibility() async throws {
        guard getenv("GTK_A11Y").map({ String(cString: $0) }) == "test" else {
            throw XCTSkip("GTK keeps what it tells assistive technologies only with GTK_A11Y=test")
        }
        var configuration = RemoteImage.Configuration()
        configuration.accessibility = .label("A lighthouse")
        let test = try await TestRemoteImage(ImageRequest(pipeline.url()), configuration, on: pipeline)
        XCTAssertNotEqual(gtk_test_accessible_has_role(test.picture, GTK_ACCESSIBLE_ROLE_IMG), 0)
        XCTAssertTrue(hasLabel("A lighthouse", test.picture))
        XCTAssertTrue(isBusy(test.picture))
        try await pipeline.nextTransfer().answer(.red)
        await test.waitUntilLoaded()
        XCTAssertFalse(isBusy(test.picture))
        test.image.configuration.accessibility = .label("A tower")
        XCTAssertTrue(hasLabel("A tower", test.picture))
        test.image.configuration.accessibility = .unlabeled
        XCTAssertEqual(gtk_test_accessible_has_property(test.picture, GTK_ACCESSIBLE_PROPERTY_LABEL), 0)
        test.window.destroy()

        configuration.accessibility = .decorative
        let decorative = try await TestRemoteImage(ImageRequest(pipeline.url()), configuration, on: pipeline)
        XCTAssertTrue(isHidden(decorative.picture))
        decorative.window.destroy()
    }

    func testLabelOfTheProgramStaysWhereOtherPartsOfTheConfigurationChange() async throws {
        guard getenv("GTK_A11Y").map({ String(cString: $0) }) == "test" else {
            throw XCTSkip("GTK keeps what it tells assistive technologies only with GTK_A11Y=test")
        }
        let configuration = RemoteImage.Configuration().configuring { cgtk_set_accessible_label($0, "A lighthouse") }
        let test = try await TestRemoteImage(nil, configuration, on: pipeline)
        defer { test.window.destroy() }
        test.image.configuration.placeholder = .spinner
        XCTAssertTrue(hasLabel("A lighthouse", test.picture))
        test.image.configuration.accessibility = .label("A tower")
        XCTAssertTrue(hasLabel("A tower", test.picture))
    }

    /// Until the configuration has another. The image is aligned by it, too.
    func testContentFitOfTheProgramStaysWhereOtherPartsOfTheConfigurationChange() async throws {
        var configuration = RemoteImage.Configuration().configuring {
            gtk_picture_set_content_fit(OpaquePointer($0), GTK_CONTENT_FIT_COVER)
        }
        configuration.horizontalAlignment = .start
        let url = try pipeline.url(.red, 50, 100)
        let test = try await TestRemoteImage(ImageRequest(url), configuration, on: pipeline, isFilling: true)
        defer { test.window.destroy() }
        await test.waitUntilLoaded()
        test.image.configuration.placeholder = .spinner
        XCTAssertEqual(gtk_picture_get_content_fit(test.picture), GTK_CONTENT_FIT_COVER)
        let pixels = try await test.pixels()
        XCTAssertEqual([pixels[5, 100], pixels[195, 100]], [.red, .red])
        test.image.configuration.contentFit = .fill
        XCTAssertEqual(gtk_picture_get_content_fit(test.picture), GTK_CONTENT_FIT_FILL)
    }

    /// An image that is shown may become decorative, and get a name again.
    func testDecorationCanChange() async throws {
        guard getenv("GTK_A11Y").map({ String(cString: $0) }) == "test" else {
            throw XCTSkip("GTK keeps what it tells assistive technologies only with GTK_A11Y=test")
        }
        var configuration = RemoteImage.Configuration()
        configuration.accessibility = .decorative
        let test = try await TestRemoteImage(ImageRequest(pipeline.url()), configuration, on: pipeline)
        defer { test.window.destroy() }
        test.image.configuration.accessibility = .label("A lighthouse")
        XCTAssertFalse(isHidden(test.picture))
        XCTAssertTrue(hasLabel("A lighthouse", test.picture))
        XCTAssertNotEqual(gtk_test_accessible_has_role(test.picture, GTK_ACCESSIBLE_ROLE_IMG), 0)
        test.image.configuration.accessibility = .decorative
        XCTAssertTrue(isHidden(test.picture))
        XCTAssertEqual(gtk_test_accessible_has_property(test.picture, GTK_ACCESSIBLE_PROPERTY_LABEL), 0)
    }

    /// An animated image plays, and the program controls it.
    func testAnimatedImage() async throws {
        let frames = try [TestColor.red, .blue].map { AnimationFrame(bitmap: try $0.bitmap(), duration: 50) }
        let data = try ImageCodecs.standard.encode(frames, as: .png, loopCount: 0)
        let test = try await TestRemoteImage(ImageRequest(.data(data)), on: pipeline)
        await test.waitUntilLoaded()
        let player = try XCTUnwrap(test.image.player)
        let painted = try PaintedFrames(test.widget)
        var seen: Set<TestColor> = []
        let deadline = ContinuousClock.now + .seconds(20)
        while !seen.isSuperset(of: [.red, .blue]), ContinuousClock.now < deadline {
            if let color = await painted.next()?.middle { seen.insert(color) }
        }
        XCTAssertEqual(seen, [.red, .blue])
        player.pause()
        XCTAssertEqual(player.state, .paused)
        painted.stop()
        test.window.destroy()
    }

    private func hasLabel(_ label: String, _ accessible: OpaquePointer) -> Bool {
        cgtk_has_accessible_label(UnsafeMutableRawPointer(accessible), label) != 0
    }

    private func isHidden(_ accessible: OpaquePointer) -> Bool {
        cgtk_is_accessible_hidden(UnsafeMutableRawPointer(accessible)) != 0
    }

    private func isBusy(_ accessible: OpaquePointer) -> Bool {
        cgtk_is_accessible_busy(UnsafeMutableRawPointer(accessible)) != 0
    }

    private func setBoolean(_ object: UnsafeMutableRawPointer, _ name: String, _ isSet: Bool) {
        var value = GValue()
        g_value_init(&value, GType(5 << 2))
        g_value_set_boolean(&value, isSet ? 1 : 0)
        g_object_set_property(object.assumingMemoryBound(to: GObject.self), name, &value)
        g_value_unset(&value)
    }

    func testAnimatedPlaceholderPlays() async throws {
        try TestWindow.requireDisplay()
        let loads = ViewPipeline()
        var configuration = RemoteImage.Configuration()
        let animation = try ImageCodecs.standard.animatedImage(from: TestColor.animation(milliseconds: 20))
        configuration.placeholder = .image(animation)
        let image = RemoteImage(loads.url(), configuration: configuration, pipeline: loads.pipeline)
        let window = try TestWindow(child: image.widget.widget)
        defer { window.destroy() }
        await window.present()
        let player = try XCTUnwrap(image.hc.player)
        await MainLoop.run { player.loopCount > 0 }
    }
}
