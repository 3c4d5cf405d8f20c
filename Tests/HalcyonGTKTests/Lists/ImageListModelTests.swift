import CGTK
import XCTest

@testable import HalcyonGTK

@MainActor
final class ImageListModelTests: XCTestCase {
    private func item(_ model: UnsafeMutableRawPointer, _ position: Int) -> ObjectReference? {
        g_list_model_get_item(OpaquePointer(model), guint(position)).map { ObjectReference(adopting: $0) }
    }

    func testItemsStandForElements() async throws {
        let model = ImageListModel(["a", "b", "c"])
        XCTAssertEqual(g_list_model_get_n_items(OpaquePointer(model.pointer)), 3)
        let second = try XCTUnwrap(item(model.pointer, 1))
        XCTAssertEqual(ImageListModel<String>.element(of: second.pointer), "b")
        XCTAssertEqual(ImageListItem(object: second.pointer, position: 1).element(), "b")
        XCTAssertNil(ImageListModel<Int>.element(of: second.pointer))
        XCTAssertNil(ImageListModel<String>.element(of: model.pointer))
        XCTAssertNil(item(model.pointer, 3))
        let type = g_list_model_get_item_type(OpaquePointer(model.pointer))
        XCTAssertTrue(second.pointer.isInstance(of: type))
    }

    /// An item is the same while something holds it, wherever its element moves.
    func testItemsStayTheSame() async throws {
        let model = ImageListModel(0..<10)
        let third = try XCTUnwrap(item(model.pointer, 2))
        XCTAssertEqual(item(model.pointer, 2)?.pointer, third.pointer)
        model.insert(20, at: 0)
        XCTAssertEqual(item(model.pointer, 3)?.pointer, third.pointer)
        XCTAssertEqual(referenceCount(third.pointer), 1)
        model.removeAll()
        XCTAssertEqual(ImageListModel<Int>.element(of: third.pointer), 2)
    }

    func testChangesAreTold() async throws {
        let model = ImageListModel<Int>()
        final class Changes { var all: [[Int]] = [] }
        let changes = Changes()
        let handler: @convention(c) (gpointer?, guint, guint, guint, gpointer?) -> Void = {
            _,
            at,
            removed,
            added,
            data in
            Unmanaged<Changes>.fromOpaque(nonnull(data)).takeUnretainedValue().all += [
                [Int(at), Int(removed), Int(added)]
            ]
        }
        connect(model.pointer, "items-changed", handler, Unmanaged.passUnretained(changes).toOpaque())
        model.append(1)
        model.append(contentsOf: [2, 3, 4])
        model.remove(at: 1)
        model.replaceSubrange(1..<2, with: [7, 8])
        model.append(contentsOf: [])
        XCTAssertEqual(model.elements, [1, 7, 8, 4])
        XCTAssertEqual(model.count, 4)
        XCTAssertEqual(model[2], 8)
        model.elements = [5]
        model.removeAll()
        XCTAssertTrue(model.isEmpty)
        XCTAssertEqual(changes.all, [[0, 0, 1], [1, 0, 3], [1, 1, 0], [1, 1, 2], [0, 4, 1], [0, 1, 0]])
    }

    /// Views keep the model, not the Swift object; its elements end with the last of both.
    func testElementsEndWithTheModel() async throws {
        final class Element {}
        weak var element: Element?
        var list: UnsafeMutableRawPointer?
        var held: ObjectReference?
        do {
            let new = Element()
            element = new
            let model = ImageListModel([new])
            list = model.passRetained()
        }
        let pointer = try XCTUnwrap(list)
        held = item(pointer, 0)
        XCTAssertNotNil(element)
        g_object_unref(pointer)
        XCTAssertNotNil(element)
        held = nil
        XCTAssertNil(element)
        XCTAssertNil(held)
    }
}

/// The number of references to an object.
private func referenceCount(_ object: UnsafeMutableRawPointer) -> guint {
    object.assumingMemoryBound(to: GObject.self).pointee.ref_count
}
