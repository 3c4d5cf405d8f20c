import CGTK
import Foundation
import Halcyon
import HalcyonTesting
import XCTest

@testable import HalcyonGTK

/// An image is transferred once, at whatever sizes it is shown.
@MainActor
final class OneTransferTests: XCTestCase {
    private let loads = ViewPipeline()

    private func show(
        _ url: URL,
        in place: TestPlace,
        _ options: [ImageOption] = [],
        on loads: ViewPipeline? = nil
    ) async {
        await show(ImageRequest(url, options: options), in: place, on: loads)
    }

    private func show(_ request: ImageRequest, in place: TestPlace, on loads: ViewPipeline? = nil) async {
        let done = Completions()
        let pipeline = (loads ?? self.loads).pipeline
        place.display.setImage(with: request, pipeline: pipeline, completion: done.handler)
        await done.wait()
        XCTAssertEqual(done.outcome, "success")
    }

    func testWidgetThatGrowsTwiceNeedsOneTransfer() async throws {
        let place = try await TestPlace(PixelSize(200, 150))
        defer { place.destroy() }
        let url = try loads.url(.blue, 1_600, 1_200, cacheControl: "max-age=3600")
        await show(url, in: place)
        XCTAssertEqual(place.imageSize, PixelSize(200, 150))
        for size in [PixelSize(400, 300), PixelSize(800, 600)] {
            await place.resize(size.width, size.height)
            await MainLoop.run { place.imageSize == size }
        }
        XCTAssertEqual(loads.transport.startedCount(url), 1)
    }

    func testImageAtAnotherSizeIsShownByAnotherProcessOffline() async throws {
        let place = try await TestPlace(PixelSize(200, 150))
        let url = try loads.url(.blue, 1_600, 1_200, cacheControl: "max-age=3600")
        await show(url, in: place)
        place.destroy()
        await loads.pipeline.cache.flush()
        let later = ViewPipeline(over: loads)
        later.transport.setRoute(url, ScriptedTransport.Route(error: .cannotConnect("refused")))
        for side in [60, 120, 300] {
            let place = try await TestPlace(PixelSize(side, side))
            await show(url, in: place, on: later)
            place.destroy()
        }
        XCTAssertEqual(later.transport.startedCount, 0)
    }

    /// A whole value of the program's own, in which nothing says that the original is kept: then its results are.
    func testImageWhoseOriginalIsNotKeptIsShownByAnotherProcessOffline() async throws {
        let place = try await TestPlace()
        defer { place.destroy() }
        let url = try loads.url(.blue, 200, 200, cacheControl: "max-age=3600")
        let request = ImageRequest(url, exactly: ImageOptions())
        await show(request, in: place)
        await loads.pipeline.cache.flush()
        let later = ViewPipeline(over: loads)
        later.transport.setRoute(url, ScriptedTransport.Route(error: .cannotConnect("refused")))
        await show(request, in: place, on: later)
        XCTAssertEqual(later.transport.startedCount, 0)
    }

    func testPrefetchedImageIsShownAtAnySizeWithoutTransfer() async throws {
        let url = try loads.url(.blue, 800, 600, cacheControl: "max-age=3600")
        let prefetcher = ImagePrefetcher(urls: [url], pipeline: loads.pipeline)
        _ = await prefetcher.run()
        await loads.pipeline.cache.flush()
        for side in [50, 100, 200] {
            if side == 100 { loads.pipeline.cache.removeAllFromMemory() }
            let place = try await TestPlace(PixelSize(side, side))
            await show(url, in: place)
            place.destroy()
        }
        XCTAssertEqual(loads.transport.startedCount(url), 1)
    }

    func testSmallerWidgetIsDrawnAtOnceFromTheLargerImageAndThenFromItsOwn() async throws {
        let url = try loads.url(.blue, 800, 800)
        let large = try await TestPlace(PixelSize(300, 300))
        defer { large.destroy() }
        await show(url, in: large)
        let small = try await TestPlace(PixelSize(100, 100))
        defer { small.destroy() }
        let done = Completions()
        small.display.setImage(
            with: url,
            placeholder: try TestColor.red.image(),
            pipeline: loads.pipeline,
            completion: done.handler
        )
        XCTAssertEqual(done.outcome, "success")
        XCTAssertEqual(small.imageSize, PixelSize(300, 300))
        // The natural size is that of the whole image in any case.
        var natural: Int32 = 0
        gtk_widget_measure(small.widget, GTK_ORIENTATION_HORIZONTAL, -1, nil, &natural, nil, nil)
        XCTAssertEqual(natural, 800)
        await MainLoop.run { small.imageSize == PixelSize(100, 100) }
        XCTAssertEqual(loads.transport.startedCount(url), 1)
        XCTAssertEqual(large.imageSize, PixelSize(300, 300))
    }

    func testWidgetIsDrawnAtOnceFromTheWholeImageInMemory() async throws {
        let url = loads.url()
        let body = try TestColor.animation(milliseconds: 20, width: 300, height: 300)
        loads.transport.setRoute(url, ScriptedTransport.Route(body: body))
        _ = try await loads.pipeline.image(from: url)
        let place = try await TestPlace()
        defer { place.destroy() }
        let done = Completions()
        place.display.setImage(with: url, pipeline: loads.pipeline, completion: done.handler)
        XCTAssertEqual(done.outcome, "success")
        XCTAssertEqual(place.imageSize, PixelSize(300, 300))
        XCTAssertNotNil(place.display.player)
        await MainLoop.run { place.imageSize == PixelSize(100, 100) }
        XCTAssertNotNil(place.display.player)
        XCTAssertEqual(loads.transport.startedCount(url), 1)
    }

    /// Shows an image in a small widget, and leaves it in memory alone.
    private func showInSmallWidget() async throws -> (place: TestPlace, url: URL) {
        let url = try loads.url(.blue, 800, 800)
        let place = try await TestPlace(PixelSize(100, 100))
        await show(url, in: place)
        await loads.pipeline.cache.flush()
        try await loads.pipeline.cache.removeAllFromDisk()
        loads.transport.setRoute(url, nil)
        return (place, url)
    }

    func testLargerWidgetIsDrawnAtOnceFromTheSmallerImageUntilItsOwnIsThere() async throws {
        let (small, url) = try await showInSmallWidget()
        defer { small.destroy() }
        let large = try await TestPlace(PixelSize(300, 300))
        defer { large.destroy() }
        let done = Completions()
        large.display.setImage(
            with: url,
            placeholder: try TestColor.red.image(),
            pipeline: loads.pipeline,
            completion: done.handler
        )
        XCTAssertEqual(large.display.content, .preview)
        let preview = try await large.rendered()[150, 150]
        XCTAssertEqual(preview, .blue)
        // The natural size is that of the whole image in any case.
        var natural: Int32 = 0
        gtk_widget_measure(large.widget, GTK_ORIENTATION_HORIZONTAL, -1, nil, &natural, nil, nil)
        XCTAssertEqual(natural, 800)
        XCTAssertEqual(done.count, 0)
        try await loads.transport.nextTransfer().answer(.green, 800, 800)
        await done.wait()
        XCTAssertEqual(done.outcome, "success")
        XCTAssertEqual(large.imageSize, PixelSize(300, 300))
        let image = try await large.rendered()[150, 150]
        XCTAssertEqual(image, .green)
    }

    func testLargerWidgetWithoutSizeIsDrawnFromTheSmallerImageOnceItHasOne() async throws {
        let (small, url) = try await showInSmallWidget()
        defer { small.destroy() }
        let large = try await TestPlace(PixelSize(300, 300), isVisible: false)
        defer { large.destroy() }
        large.display.setImage(with: url, placeholder: try TestColor.red.image(), pipeline: loads.pipeline)
        XCTAssertEqual(large.display.content, .placeholder)
        large.setVisible(true)
        await MainLoop.run { large.display.content == .preview }
    }

    func testPreviewOfFewerPixelsIsNotShownInThePlaceOfTheSmallerImage() async throws {
        let (small, url) = try await showInSmallWidget()
        defer { small.destroy() }
        let large = try await TestPlace(PixelSize(300, 300))
        defer { large.destroy() }
        let preview = try loads.url(.red, 80, 80)
        large.display.setImage(with: url, options: [.previews([.url(preview)])], pipeline: loads.pipeline)
        await MainLoop.run { large.display.task?.imageTask?.preview != nil }
        await MainLoop.settle()
        XCTAssertEqual(large.controller?.content.image?.size, PixelSize(100, 100))
    }

    func testLargerWidgetThatAsksForTheExactSizeShowsItsPlaceholder() async throws {
        let (small, url) = try await showInSmallWidget()
        defer { small.destroy() }
        let large = try await TestPlace(PixelSize(300, 300))
        defer { large.destroy() }
        large.display.setImage(
            with: url,
            placeholder: try TestColor.red.image(),
            options: [.precision(.exact)],
            pipeline: loads.pipeline
        )
        XCTAssertEqual(large.display.content, .placeholder)
    }

    func testLargerImageStaysWhereTheExactOneWouldHaveToBeTransferred() async throws {
        let url = try loads.url(.blue, 800, 800)
        let large = try await TestPlace(PixelSize(300, 300))
        defer { large.destroy() }
        await show(url, in: large)
        await loads.pipeline.cache.flush()
        try await loads.pipeline.cache.removeAllFromDisk()
        let small = try await TestPlace(PixelSize(100, 100))
        defer { small.destroy() }
        await show(url, in: small)
        await MainLoop.run { small.controller?.task?.mayBeInexact == false && small.controller?.enlargement == nil }
        XCTAssertEqual(small.imageSize, PixelSize(300, 300))
        XCTAssertEqual(loads.transport.startedCount(url), 1)
    }

    func testProgramMayAskForTheExactSizeAlone() async throws {
        let url = try loads.url(.blue, 800, 800)
        let large = try await TestPlace(PixelSize(300, 300))
        defer { large.destroy() }
        await show(url, in: large)
        let small = try await TestPlace(PixelSize(100, 100))
        defer { small.destroy() }
        await show(url, in: small, [.precision(.exact)])
        XCTAssertEqual(small.imageSize, PixelSize(100, 100))
        XCTAssertEqual(loads.transport.startedCount(url), 1)
    }

    func testSizeOfTheProgramIsExact() async throws {
        let url = try loads.url(.blue, 800, 800)
        let large = try await TestPlace(PixelSize(300, 300))
        defer { large.destroy() }
        await show(url, in: large)
        let small = try await TestPlace()
        defer { small.destroy() }
        await show(url, in: small, [.targetSize(.pixels(width: 120, height: 120))])
        XCTAssertEqual(small.imageSize, PixelSize(120, 120))
        XCTAssertEqual(loads.transport.startedCount(url), 1)
    }

    /// The whole list of cells gets ten pixels wider.
    func testResizedGridSendsNothing() async throws {
        try TestWindow.requireDisplay()
        let box = try XCTUnwrap(gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 0))
        let window = try TestWindow(width: 400, height: 100, child: box)
        defer { window.destroy() }
        let pictures = try (0..<12).map { _ in
            let picture = try XCTUnwrap(gtk_picture_new())
            gtk_widget_set_size_request(picture, 30, 30)
            gtk_box_append(UnsafeMutableRawPointer(box).assumingMemoryBound(to: GtkBox.self), picture)
            return picture
        }
        await window.present()
        let urls = try pictures.map { _ in try loads.url(.blue, 400, 400) }
        let calls = pictures.map { _ in Completions() }
        for (index, picture) in pictures.enumerated() {
            ImageDisplay(picture).setImage(
                with: urls[index],
                pipeline: loads.pipeline,
                completion: calls[index].handler
            )
        }
        await MainLoop.run { calls.allSatisfy { $0.count == 1 } }
        for picture in pictures { gtk_widget_set_size_request(picture, 40, 40) }
        await MainLoop.run { pictures.allSatisfy { (ImageDisplay($0).image?.size.width ?? 0) >= 40 } }
        XCTAssertEqual(loads.transport.startedCount, 12)
    }

    /// Wherever their widgets are.
    func testLoadsBeginInTheOrderOfTheirCalls() async throws {
        for isReversed in [false, true] {
            try TestWindow.requireDisplay()
            let box = try XCTUnwrap(gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 0))
            let window = try TestWindow(width: 400, height: 100, child: box)
            let calls = CallRecorder()
            let loads = ViewPipeline(interceptors: [calls])
            var pictures = try (0..<12).map { _ in
                let picture = try XCTUnwrap(gtk_picture_new())
                gtk_widget_set_size_request(picture, 30, 30)
                gtk_box_append(UnsafeMutableRawPointer(box).assumingMemoryBound(to: GtkBox.self), picture)
                return picture
            }
            if isReversed { pictures.reverse() }
            var urls = pictures.map { _ in loads.url() }
            for (picture, url) in zip(pictures, urls) {
                ImageDisplay(picture).setImage(with: url, pipeline: loads.pipeline)
            }
            // Its second call is the last of all.
            urls.append(loads.url())
            urls.removeFirst()
            ImageDisplay(pictures[0]).setImage(with: urls[11], pipeline: loads.pipeline)
            XCTAssertEqual(calls.sources, [])
            // All of them begin with the first layout.
            await window.present()
            await MainLoop.run { calls.sources.count == 12 }
            XCTAssertEqual(calls.sources, urls.map { .url($0) }, "\(isReversed)")
            window.destroy()
        }
    }

    func testLoadsOfTheSlotsOfAWidgetBeginInTheOrderOfTheirCalls() async throws {
        for slots in [[WidgetSlot.image, .checkedImage], [.checkedImage, .image]] {
            let calls = CallRecorder()
            let loads = ViewPipeline(interceptors: [calls])
            try TestWindow.requireDisplay()
            let button = try XCTUnwrap(gtk_toggle_button_new())
            let window = try TestWindow(child: button)
            let urls = slots.map { _ in loads.url() }
            for (slot, url) in zip(slots, urls) {
                ImageDisplay(button, slot: slot).setImage(with: url, pipeline: loads.pipeline)
            }
            await window.present()
            await MainLoop.run { calls.sources.count == 2 }
            XCTAssertEqual(calls.sources, urls.map { .url($0) })
            window.destroy()
        }
    }
}

/// Notes the sources of loads in the order in which they begin.
///
/// Unchecked: the lock protects them.
private final class CallRecorder: LoadIntercepting, @unchecked Sendable {
    private let lock = NSLock()
    private var noted: [Source] = []

    var sources: [Source] { lock.withLock { noted } }

    func prepared(_ request: ImageRequest) -> ImageRequest {
        lock.withLock { noted.append(request.source) }
        return request
    }

    static func == (left: CallRecorder, right: CallRecorder) -> Bool { left === right }

    func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
