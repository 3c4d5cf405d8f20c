import CGTK
import Foundation
import Halcyon
import XCTest

@testable import HalcyonGTK

/// Loads that end on other threads while the call that began them has not returned yet.
@MainActor
final class PromptLoadTests: XCTestCase {
    /// What is shown until the image is there is shown in any case, and before the failure.
    func testPlaceholderIsShownHoweverSoonTheLoadFails() async throws {
        let picture = try await TestPicture()
        defer { picture.destroy() }
        let pipeline = ViewPipeline().pipeline
        let (image, placeholder) = (try TestColor.blue.image(), try TestColor.red.image())
        // They take the processor from this thread now and then.
        let isOver = Flag()
        for _ in 0..<6 { Thread.detachNewThread { while !isOver.isSet { sched_yield() } } }
        var missing = 0
        var count = 0
        for _ in 0..<4_000 {
            picture.display.show(image)
            picture.display.setImage(
                with: .dataURL("data:image/png;base64,AAAA"),
                placeholder: placeholder,
                options: [.visibility(.always)],
                pipeline: pipeline,
                completion: { _ in count += 1 }
            )
            if picture.display.content != .placeholder { missing += 1 }
        }
        isOver.set()
        XCTAssertEqual(missing, 0)
        await MainLoop.run { count == 4_000 }
        XCTAssertEqual(picture.display.content, .placeholder)
    }

    /// Unchecked: the lock protects the value.
    private final class Flag: @unchecked Sendable {
        private let lock = NSLock()
        private var value = false

        var isSet: Bool { lock.withLock { value } }

        func set() { lock.withLock { value = true } }
    }
}
