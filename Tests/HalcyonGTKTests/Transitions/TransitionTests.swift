import CGTK
import Halcyon
import HalcyonTesting
import XCTest

@testable import HalcyonGTK

/// Transitions in a window, from a red image to a blue one.
@MainActor
final class TransitionTests: XCTestCase {
    private let loads = ViewPipeline()

    override func tearDown() async throws {
        await MainActor.run { Motion.set(true) }
    }

    /// Begins to load a blue image over a red placeholder of the same size.
    private func begin(
        _ place: TestPlace,
        _ transition: ImageTransition,
        _ done: Completions
    ) throws {
        place.display.setImage(
            with: try loads.url(.blue),
            placeholder: try TestColor.red.image(),
            options: [.transition(transition)],
            pipeline: loads.pipeline,
            completion: done.handler
        )
    }

    /// Begins a transition that lasts longer than the test, and holds it at a moment.
    private func hold(
        _ transition: (Duration) -> ImageTransition,
        at progress: Double,
        name: String
    ) async throws -> RenderedWidget {
        let place = try await TestPlace(PixelSize(200, 200))
        defer { place.destroy() }
        let done = Completions()
        try begin(place, transition(.seconds(600)), done)
        await MainLoop.run { place.display.content == .image }
        let paintable = try XCTUnwrap(place.controller?.paintable)
        XCTAssertNotNil(paintable.transition)
        place.controller?.ticker?.pause()
        paintable.advance(to: progress)
        await place.waitForFrame()
        return try await place.rendered(name: name)
    }

    func testFadeMixesTheColoursOfBothImages() async throws {
        let rendered = try await hold(ImageTransition.fade, at: 0.5, name: "fade")
        for point in [(5, 5), (100, 100), (195, 195)] {
            let color = try XCTUnwrap(rendered[point.0, point.1])
            XCTAssertEqual(Int(color.red), 127, accuracy: 3)
            XCTAssertEqual(Int(color.blue), 127, accuracy: 3)
            XCTAssertEqual(color.green, 0)
        }
    }

    /// An image of another ratio keeps its place and its size while it disappears.
    func testFadeChangesNeitherPlaceNorSize() async throws {
        for (fit, count) in [(GTK_CONTENT_FIT_CONTAIN, 100), (GTK_CONTENT_FIT_COVER, 200)] {
            let place = try await TestPlace(PixelSize(200, 200))
            gtk_picture_set_content_fit(place.picture, fit)
            place.display.show(try TestColor.red.image(200, 100))
            await place.waitForFrame()
            place.display.show(try TestColor.blue.image(100, 200), transition: .fade(.seconds(600)))
            place.controller?.ticker?.pause()
            try XCTUnwrap(place.controller?.paintable).advance(to: 0.2)
            await place.waitForFrame()
            let rendered = try await place.rendered(name: "fade-ratio-\(count)")
            XCTAssertEqual(rendered.count(ofColumn: 10) { $0.red > 100 }, count)
            XCTAssertEqual(rendered.count(ofRow: 100) { $0.red > 100 }, 200)
            place.destroy()
        }
    }

    func testFlipsShowTheOldImageThenTheNewOneFromTheirEdge() async throws {
        typealias Flip = (name: String, make: (Duration) -> ImageTransition, isAcross: Bool, isFirst: Bool)
        let flips: [Flip] = [
            ("left", ImageTransition.flipFromLeft, true, true), ("right", ImageTransition.flipFromRight, true, false),
            ("top", ImageTransition.flipFromTop, false, true), ("bottom", ImageTransition.flipFromBottom, false, false),
        ]
        for flip in flips {
            for (progress, isOld) in [(0.25, true), (0.75, false)] {
                let rendered = try await hold(flip.make, at: progress, name: "flip-\(flip.name)-\(progress)")
                let isFace = { (color: TestColor) in isOld ? color.isReddish : color.isBluish }
                XCTAssertEqual(rendered.count { isOld ? $0.isBluish : $0.isReddish }, 0, flip.name)
                let lines = (0..<200).map { line in
                    flip.isAcross
                        ? rendered.count(ofColumn: line, where: isFace) : rendered.count(ofRow: line, where: isFace)
                }
                let seen = lines.indices.filter { lines[$0] > 0 }
                let (first, last) = (try XCTUnwrap(seen.first), try XCTUnwrap(seen.last))
                XCTAssertLessThan(last - first, 190, "turned, it is narrower: \(flip.name)")
                XCTAssertGreaterThan(last - first, 60, flip.name)
                // The edge that the flip begins from comes to the front, and is in the front still on the other side.
                let (begin, end) = (lines[first + 3], lines[last - 3])
                XCTAssertNotEqual(begin, end)
                XCTAssertEqual(begin > end, flip.isFirst == isOld, "\(flip.name) \(progress)")
            }
        }
    }

    func testTransitionOfTheProgramDrawsBothImagesAndSpoilsNothing() async throws {
        let rendered = try await hold(
            { duration in
                .custom(duration) { frame in
                    let snapshot = OpaquePointer(frame.snapshot)
                    var clip = graphene_rect_t()
                    graphene_rect_init(&clip, 0, 0, Float(frame.width * frame.progress), Float(frame.height))
                    frame.drawPrevious()
                    gtk_snapshot_push_clip(snapshot, &clip)
                    frame.drawNext()
                    gtk_snapshot_pop(snapshot)
                    gtk_snapshot_save(snapshot)
                    gtk_snapshot_rotate(snapshot, 45)
                }
            },
            at: 0.25,
            name: "custom"
        )
        XCTAssertEqual(rendered[40, 100], .blue)
        XCTAssertEqual(rendered[60, 100], .red)
    }

    func testCompletionComesAfterTheTransition() async throws {
        let place = try await TestPlace()
        defer { place.destroy() }
        let done = Completions()
        var wasRunning: Bool?
        done.onCall = { wasRunning = place.controller?.transitionIsRunning }
        let start = ContinuousClock.now
        try begin(place, .fade(.milliseconds(200)), done)
        await MainLoop.run { place.display.content == .image }
        XCTAssertEqual(done.count, 0)
        XCTAssertEqual(place.display.task?.state, .setting)
        await done.wait()
        XCTAssertEqual(done.outcome, "success")
        XCTAssertEqual(wasRunning, false)
        XCTAssertGreaterThan(ContinuousClock.now - start, .milliseconds(190))
    }

    func testTransitionThatIsSupersededHasSucceeded() async throws {
        let place = try await TestPlace()
        defer { place.destroy() }
        let done = Completions()
        try begin(place, .fade(.seconds(600)), done)
        await MainLoop.run { place.controller?.transitionIsRunning == true }
        place.display.show(try TestColor.green.image())
        XCTAssertEqual(done.outcome, "success")
        XCTAssertEqual(place.controller?.transitionIsRunning, false)
        await place.waitForFrame()
        let color = try await place.rendered()[50, 50]
        XCTAssertEqual(color, .green)
    }

    func testTransitionEndsWhenTheWidgetIsHidden() async throws {
        let place = try await TestPlace()
        defer { place.destroy() }
        let done = Completions()
        try begin(place, .fade(.seconds(600)), done)
        await MainLoop.run { place.controller?.transitionIsRunning == true }
        place.setVisible(false)
        XCTAssertEqual(place.controller?.transitionIsRunning, false)
        await done.wait()
        XCTAssertEqual(done.outcome, "success")
    }

    func testTransitionEndsWhenAnimationsAreSwitchedOff() async throws {
        let place = try await TestPlace()
        defer { place.destroy() }
        let done = Completions()
        try begin(place, .fade(.seconds(600)), done)
        await MainLoop.run { place.controller?.transitionIsRunning == true }
        Motion.set(false)
        XCTAssertEqual(done.outcome, "success")
        await place.waitForFrame()
        let color = try await place.rendered()[50, 50]
        XCTAssertEqual(color, .blue)
    }

    func testNothingMovesWhereAnimationsAreOff() async throws {
        Motion.set(false)
        let place = try await TestPlace()
        defer { place.destroy() }
        let done = Completions()
        try begin(place, .fade(.seconds(600)), done)
        await done.wait()
        XCTAssertEqual(place.controller?.transitionIsRunning, false)
    }

    func testImageFromMemoryHasNoTransitionUnlessForced() async throws {
        let url = try loads.url(.blue)
        let size = TargetSize.pixels(width: 100, height: 100)
        try await loads.preload(url, options: [.targetSize(size)])
        for isForced in [false, true] {
            let place = try await TestPlace()
            let done = Completions()
            let fade = ImageOption.transition(.fade(.seconds(600)))
            let options: [ImageOption] =
                isForced ? [fade, .targetSize(size), .forceTransition] : [fade, .targetSize(size)]
            place.display.setImage(with: url, options: options, pipeline: loads.pipeline, completion: done.handler)
            XCTAssertEqual(place.display.content, .image)
            XCTAssertEqual(place.controller?.transitionIsRunning, isForced)
            XCTAssertEqual(done.count, isForced ? 0 : 1)
            place.destroy()
            await done.wait()
            XCTAssertEqual(done.outcome, "success")
        }
    }

    func testTransitionCompletesWhereNoFramesCome() async throws {
        let place = try await TestPlace()
        defer { place.destroy() }
        let done = Completions()
        try begin(place, .fade(.milliseconds(10)), done)
        await MainLoop.run { place.display.content == .image }
        place.controller?.ticker?.pause()
        await done.wait()
        XCTAssertEqual(done.outcome, "success")
    }

    func testCompletionMayEndTheWidgetWithinAFrame() async throws {
        let place = try await TestPlace()
        let done = Completions()
        done.onCall = { place.destroy() }
        try begin(place, .fade(.milliseconds(30)), done)
        await done.wait()
        await MainLoop.settle()
        XCTAssertEqual(done.outcome, "success")
    }

    func testCompletionMaySetTheNextImageWithinAFrame() async throws {
        let place = try await TestPlace()
        defer { place.destroy() }
        let (done, next) = (Completions(), Completions())
        let url = try loads.url(.green)
        done.onCall = { [loads] in
            place.display.setImage(
                with: url,
                options: [.transition(.fade(.milliseconds(30)))],
                pipeline: loads.pipeline,
                completion: next.handler
            )
        }
        try begin(place, .fade(.milliseconds(30)), done)
        await next.wait()
        XCTAssertEqual(done.outcome, "success")
        XCTAssertEqual(next.outcome, "success")
        await place.waitForFrame()
        let color = try await place.rendered()[50, 50]
        XCTAssertEqual(color, .green)
    }
}
