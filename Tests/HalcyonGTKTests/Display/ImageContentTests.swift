#if GTK
import CGTK
import Halcyon
import HalcyonTesting
import XCTest

@testable import HalcyonGTK

/// What is shown for a call, from its beginning to its end.
@MainActor
final class ImageContentTests: XCTestCase {
    func testImageFromNetworkReplacesPlaceholderAndCompletesOnce() async throws {
        let picture = try await TestPicture()
        defer { picture.destroy() }
        let loads = ViewPipeline()
        let done = Completions()
        let task = picture.display.setImage(
            with: loads.url(),
            placeholder: try TestColor.red.image(),
            pipeline: loads.pipeline,
            completion: done.handler
        )
        XCTAssertEqual(picture.display.content, .placeholder)
        let first = await picture.color()
        XCTAssertEqual(first, .red)
        XCTAssertEqual(task?.state, .loading)
        try await loads.transport.nextTransfer().answer(.blue)
        await done.wait()
        XCTAssertEqual(done.outcome, "success")
        XCTAssertEqual(picture.display.content, .image)
        let second = await picture.color()
        XCTAssertEqual(second, .blue)
        XCTAssertEqual(picture.frames.colors.compactMap(\.self), [.red, .blue])
        await MainLoop.settle()
        XCTAssertEqual(done.count, 1)
    }
}
#endif
