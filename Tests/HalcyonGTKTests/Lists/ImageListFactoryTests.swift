import CGTK
import Halcyon
import HalcyonTesting
import XCTest

@testable import HalcyonGTK

@MainActor
final class ImageListFactoryTests: XCTestCase {
    private func configuration(
        _ images: NumberedImages,
        _ distance: PrefetchDistance = .none
    ) -> ImageListFactory.Configuration {
        var configuration = ImageListFactory.Configuration()
        configuration.makeCell = { .picture(width: 64, height: 64) }
        configuration.pipeline = images.pipeline
        configuration.prefetchDistance = distance
        return configuration
    }

    private func factory(_ images: NumberedImages, _ distance: PrefetchDistance = .none) -> ImageListFactory {
        ImageListFactory(of: Int.self, configuration(images, distance)) { number, _ in images.request(number) }
    }

    /// Of all cells that GTK binds, those in sight load, and no other.
    func testCellsInSightAloneLoadTheirImages() async throws {
        let images = NumberedImages()
        images.answerAll()
        let factory = factory(images)
        let list = try ListWindow(
            .grid(columns: 5),
            model: ImageListModel(0..<2_000).passRetained(),
            factories: [factory.pointer]
        )
        await list.present()
        await MainLoop.run { !factory.visiblePositions.isEmpty && factory.wrongPositions().isEmpty }
        await list.settle()
        XCTAssertGreaterThan(factory.boundCells.count, factory.visiblePositions.count)
        XCTAssertEqual(images.askedNumbers.sorted(), factory.visiblePositions)
        list.window.destroy()
    }

    /// An image that the program shows for an item without a request stays while the cell has that item, and no longer.
    func testImageOfTheProgramGoesWithItsItem() async throws {
        let images = NumberedImages()
        var configuration = configuration(images)
        configuration.configure = { cell, _ in cell.display.show(NumberedImages.image(7)) }
        let factory = ImageListFactory(configuration) { _ in nil }
        let model = ImageListModel(0..<1)
        let list = try ListWindow(.list, model: model.passRetained(), factories: [factory.pointer])
        await list.present()
        let cell = try XCTUnwrap(factory.boundCells[0])
        XCTAssertTrue(cell.isMapped)
        XCTAssertEqual(cell.content.display.content, .image)
        try XCTUnwrap(ListBinder.of(factory.pointer)).unbind(cell.listItem)
        XCTAssertEqual(cell.content.display.content, .nothing)
        list.window.destroy()
    }

    /// A cell that gets another item cancels the load of the one before, and shows the new one alone.
    func testReusedCellsCancelAndShowTheirNewItems() async throws {
        let images = NumberedImages()
        let factory = factory(images)
        let list = try ListWindow(
            .grid(columns: 5),
            model: ImageListModel(0..<10_000).passRetained(),
            factories: [factory.pointer]
        )
        await list.present()
        await MainLoop.run { !images.runningNumbers.isEmpty && images.runningNumbers == factory.visiblePositions }
        let first = images.running
        list.scroll(to: list.end / 2)
        await MainLoop.run { first.allSatisfy(\.isCancelled) && !images.runningNumbers.isEmpty }
        XCTAssertTrue(factory.visiblePositions.allSatisfy { $0 > 1_000 })
        for transfer in first { images.answer(transfer) }
        images.answerAll()
        await MainLoop.run { factory.wrongPositions().isEmpty }
        list.window.destroy()
    }

    /// An item that is removed from the model gives up its cell: its load is cancelled, and nothing of it is shown.
    func testUnboundCellsCancelAndShowNothing() async throws {
        let images = NumberedImages()
        let factory = factory(images)
        let model = ImageListModel(0..<500)
        let list = try ListWindow(.list, model: model.passRetained(), factories: [factory.pointer])
        await list.present()
        await MainLoop.run { images.running.count > 3 }
        images.answer(images.running[0])
        await MainLoop.run { factory.boundCells.values.contains { $0.content.display.content == .image } }
        let running = images.running
        let displays = factory.boundCells.values.map(\.content.display)
        let widgets = displays.map { ObjectReference(retaining: $0.object) }
        model.removeAll()
        await MainLoop.run { running.allSatisfy(\.isCancelled) }
        // Newer releases of GTK unbind cells some frames later.
        await MainLoop.run { displays.allSatisfy { $0.content == .nothing && $0.task == nil } }
        await MainLoop.run { factory.boundCells.isEmpty }
        withExtendedLifetime(widgets) {}
        list.window.destroy()
    }

    /// Positions that change without a new binding, and elements that are replaced.
    func testChangesOfTheModelAreShown() async throws {
        let images = NumberedImages()
        images.answerAll()
        let factory = factory(images)
        let model = ImageListModel(0..<500)
        let list = try ListWindow(.list, model: model.passRetained(), factories: [factory.pointer])
        await list.present()
        await MainLoop.run { !factory.visiblePositions.isEmpty && factory.wrongPositions().isEmpty }
        model.replaceSubrange(0..<1, with: [700, 701])
        model.remove(at: 3)
        await MainLoop.run {
            let isRight = factory.wrongPositions { model[$0] }.isEmpty
            return isRight && factory.boundCells[1] != nil && model[1] == 701
        }
        XCTAssertTrue(images.askedNumbers.isSuperset(of: [700, 701]))
        list.window.destroy()
    }

    /// A column view has a factory for each column.
    func testColumnsLoadTheirOwnImages() async throws {
        let images = NumberedImages()
        images.answerAll()
        let model = ImageListModel(0..<1_000)
        let left = factory(images, .items(3))
        let right = ImageListFactory(of: Int.self, configuration(images)) { number, _ in
            images.request(number + 5_000)
        }
        let list = try ListWindow(.columns, model: model.passRetained(), factories: [left.pointer, right.pointer])
        await list.present()
        await MainLoop.run {
            !left.visiblePositions.isEmpty && left.wrongPositions().isEmpty
                && right.visiblePositions == left.visiblePositions && right.wrongPositions { $0 + 5_000 }.isEmpty
        }
        let last = try XCTUnwrap(left.visiblePositions.last)
        await MainLoop.run { images.askedNumbers.contains(last + 3) }
        XCTAssertFalse(images.askedNumbers.contains(last + 5_001))
        list.scroll(to: list.end)
        await MainLoop.run {
            left.visiblePositions.last == 999 && left.wrongPositions().isEmpty
                && right.wrongPositions { $0 + 5_000 }.isEmpty
        }
        list.window.destroy()
    }

    /// Items of another model than Halcyon's own, in cells of the program's own.
    func testProgramMakesAndConfiguresItsCells() async throws {
        guard gtk_init_check() != 0 else { throw XCTSkip("no display can be opened") }
        let images = NumberedImages()
        images.answerAll()
        let strings = try XCTUnwrap(gtk_string_list_new(nil))
        for number in 0..<300 { gtk_string_list_append(strings, "\(number)") }
        var configuration = configuration(images)
        var labels: [UnsafeMutableRawPointer: UnsafeMutablePointer<GtkWidget>] = [:]
        configuration.makeCell = {
            let box = nonnull(gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 4))
            let picture = ImageListCell.picture(width: 64, height: 64)
            let label = nonnull(gtk_label_new(nil))
            let container = UnsafeMutableRawPointer(box).assumingMemoryBound(to: GtkBox.self)
            gtk_box_append(container, picture.widget.widget)
            gtk_box_append(container, label)
            labels[UnsafeMutableRawPointer(box)] = label
            return ImageListCell(widget: UnsafeMutableRawPointer(box), display: picture.display)
        }
        func text(_ item: ImageListItem) -> String {
            String(cString: gtk_string_object_get_string(OpaquePointer(item.object)))
        }
        configuration.configure = { cell, item in
            gtk_label_set_text(labels[cell.widget].map { OpaquePointer($0) }, text(item))
        }
        configuration.reset = { cell in gtk_label_set_text(labels[cell.widget].map { OpaquePointer($0) }, "") }
        var completed: [Int] = []
        configuration.completion = { cell, result in
            if case .success(let response) = result, let number = NumberedImages.number(of: response.image) {
                completed.append(number)
            }
        }
        let factory = ImageListFactory(configuration) { item in Int(text(item)).map { images.request($0) } }
        let list = try ListWindow(.list, model: UnsafeMutableRawPointer(strings), factories: [factory.pointer])
        await list.present()
        await MainLoop.run { !factory.visiblePositions.isEmpty && factory.wrongPositions().isEmpty }
        for (position, cell) in factory.boundCells {
            let label = try XCTUnwrap(labels[cell.content.widget])
            XCTAssertEqual(String(cString: gtk_label_get_text(OpaquePointer(label))), "\(position)")
        }
        XCTAssertEqual(completed.sorted(), factory.visiblePositions)
        list.window.destroy()
    }

    /// A closure of the program may end the list in the middle of anything.
    func testProgramDestroysTheWindowWhileItsClosuresRun() async throws {
        let images = NumberedImages()
        images.answerAll()
        for place in ["request", "completion"] {
            var list: ListWindow?
            var requested: Set<Int> = []
            func destroy() {
                list?.window.destroy()
                list = nil
            }
            var configuration = configuration(images, .items(10))
            configuration.completion = { _, _ in if place == "completion" { destroy() } }
            let factory = ImageListFactory(of: Int.self, configuration) { number, _ in
                // The second request for an item is that of the prefetching; the first comes while GTK works on the view.
                if !requested.insert(number).inserted, place == "request" { destroy() }
                return images.request(number)
            }
            let window = try ListWindow(
                .list,
                model: ImageListModel(0..<500).passRetained(),
                factories: [factory.pointer]
            )
            list = window
            // It may be gone before its first frame is there.
            gtk_window_present(window.window.window)
            await MainLoop.run { list == nil && factory.boundCells.isEmpty }
            XCTAssertEqual(ListBinder.of(factory.pointer)?.cells.count, 0, place)
        }
    }
}
