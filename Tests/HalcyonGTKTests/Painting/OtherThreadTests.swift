import CGTK
import Halcyon
import HalcyonTesting
import XCTest

@testable import HalcyonGTK

/// Objects of Swift whose last reference goes on another thread, as one that a task has captured: what they own of GTK ends on
/// GTK's.
@MainActor
final class OtherThreadTests: XCTestCase {
    func testImagePaintableEndsOnAnotherThread() async throws {
        try TestWindow.requireDisplay()
        let loads = ViewPipeline()
        let done = Completions()
        let owner: Owner
        let object: WeakObjectReference
        do {
            let image = ImagePaintable()
            image.hc.setImage(with: loads.url(), pipeline: loads.pipeline, completion: done.handler)
            object = WeakObjectReference(image.pointer)
            owner = Owner(image)
        }
        try await onThread { owner.value = nil }
        await done.wait()
        XCTAssertEqual(done.outcome, "superseded")
        await MainLoop.run { object.object == nil }
    }

    func testPaintableOfTheProgramEndsOnAnotherThread() async throws {
        try TestWindow.requireDisplay()
        let owner: Owner
        let object: WeakObjectReference
        do {
            let image = ImagePaintable()
            image.hc.show(try TestColor.red.image())
            object = WeakObjectReference(image.pointer)
            owner = Owner(Paintable(image.pointer))
        }
        try await onThread { owner.value = nil }
        await MainLoop.run { object.object == nil }
    }

    func testListEndsOnAnotherThread() async throws {
        try TestWindow.requireDisplay()
        let owner: Owner
        let objects: [WeakObjectReference]
        do {
            let model = ImageListModel(0..<3)
            let factory = ImageListFactory(of: Int.self) { _, _ in nil }
            let item = ObjectReference(adopting: nonnull(g_list_model_get_item(OpaquePointer(model.pointer), 0)))
            objects = [model.pointer, factory.pointer, item.pointer].map { WeakObjectReference($0) }
            owner = Owner([model, factory, item] as [Any])
        }
        try await onThread { owner.value = nil }
        await MainLoop.run { objects.allSatisfy { $0.object == nil } }
    }

    /// Unchecked: used by one thread after the other.
    private final class Owner: @unchecked Sendable {
        nonisolated(unsafe) var value: Any?

        init(_ value: Any) { self.value = value }
    }
}
