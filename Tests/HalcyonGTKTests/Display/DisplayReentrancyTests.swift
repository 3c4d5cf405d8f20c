import CGTK
import Halcyon
import HalcyonTesting
import XCTest

@testable import HalcyonGTK

/// Code of the program that uses the widget while Halcyon calls it.
@MainActor
final class DisplayReentrancyTests: XCTestCase {
    /// The place in which code of the program is called.
    private enum Place: CaseIterable {
        case completion, memory, failure, progress, setting, placeholder, transition, superseded, nothing
    }

    /// What it does there.
    private enum Action: CaseIterable {
        case setImage, setMemoryImage, setNothing, show, cancel, remove, retry, destroy
    }

    func testProgramMayDoAnythingInEveryPlaceItIsCalled() async throws {
        for place in Place.allCases {
            for action in Action.allCases { try await assertSafe(action, in: place) }
        }
    }

    private func assertSafe(_ action: Action, in place: Place) async throws {
        let name = "\(action) in \(place)"
        let picture = try await TestPicture()
        defer { picture.destroy() }
        let loads = ViewPipeline()
        let (known, other) = (try loads.url(.yellow), try loads.url(.green))
        try await loads.preload(known)
        let (first, second) = (Completions(), Completions())
        var isDone = false
        let act = { @MainActor in
            guard !isDone else { return }
            isDone = true
            let display = picture.display
            switch action {
            case .setImage: display.setImage(with: other, pipeline: loads.pipeline, completion: second.handler)
            case .setMemoryImage: display.setImage(with: known, pipeline: loads.pipeline, completion: second.handler)
            case .setNothing: display.setImage(with: nil, pipeline: loads.pipeline, completion: second.handler)
            case .show: display.show(try? TestColor.magenta.image())
            case .cancel: display.cancel()
            case .remove: display.remove()
            case .retry: display.retry()
            case .destroy: picture.destroy()
            }
        }
        var url = try place == .failure ? loads.missing() : place == .memory ? known : loads.url(.blue)
        var options: [ImageOption] = []
        var progress: (@MainActor (ImageProgress) -> Void)?
        var placeholder: (any Placeholder)?
        switch place {
        case .completion, .memory, .failure: first.onCall = act
        case .transition:
            options = [.transition(.fade(.milliseconds(20)))]
            first.onCall = act
        case .progress: progress = { _ in act() }
        case .setting: options = [.setting(.custom { _ in act() })]
        case .placeholder:
            // An image that is there at once has no placeholder.
            url = loads.url()
            placeholder = ActingPlaceholder(act: act)
        case .superseded, .nothing:
            let earlier = Completions()
            earlier.onCall = act
            picture.display.setImage(with: loads.url(), pipeline: loads.pipeline, completion: earlier.handler)
            _ = await loads.transport.nextTransfer()
        }
        if place == .nothing {
            picture.display.setImage(with: nil, pipeline: loads.pipeline, completion: first.handler)
        } else {
            picture.display.setImage(
                with: url,
                placeholder: placeholder,
                options: options,
                pipeline: loads.pipeline,
                progress: progress,
                completion: first.handler
            )
        }
        if place == .placeholder {
            await MainLoop.run { first.count > 0 || loads.transport.startedCount(url) > 0 }
            for transfer in loads.transport.transfers where transfer.request.url == url { try transfer.answer(.blue) }
        }
        await first.wait()
        await MainLoop.run { isDone }
        switch action {
        case .setImage, .setMemoryImage, .setNothing:
            // The call within was the last.
            await second.wait()
            if action == .setNothing {
                XCTAssertEqual(second.outcome, "no source", name)
                XCTAssertEqual(picture.display.content, .nothing, name)
            } else if place != .placeholder || second.outcome == "success" {
                XCTAssertEqual(second.outcome, "success", name)
                let color = await picture.color()
                XCTAssertEqual(color, action == .setImage ? .green : .yellow, name)
            }
        case .show:
            let color = await picture.color()
            XCTAssertEqual(color, .magenta, name)
        case .remove:
            XCTAssertEqual(picture.display.content, .nothing, name)
            XCTAssertNil(picture.display.task, name)
        case .cancel, .retry, .destroy: break
        }
        await MainLoop.settle()
        XCTAssertEqual(first.count, 1, name)
        XCTAssertLessThanOrEqual(second.count, 1, name)
    }

    func testPlaceholderThatIsAskedForByCallWithoutSourceMaySetImage() async throws {
        let picture = try await TestPicture()
        defer { picture.destroy() }
        let loads = ViewPipeline()
        let (first, second) = (Completions(), Completions())
        let url = loads.url()
        let placeholder = ActingPlaceholder {
            picture.display.setImage(with: url, pipeline: loads.pipeline, completion: first.handler)
        }
        // That call came first.
        picture.display.setImage(
            with: nil,
            placeholder: placeholder,
            pipeline: loads.pipeline,
            completion: second.handler
        )
        XCTAssertEqual([first.outcome, second.outcome], ["superseded", "no source"])
        XCTAssertNil(picture.display.task)
    }
}

/// Runs code when it is asked what it looks like.
@MainActor
private struct ActingPlaceholder: @MainActor Placeholder {
    let act: @MainActor () -> Void

    var paintable: Paintable? {
        act()
        return nil
    }
}
