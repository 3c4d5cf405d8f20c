import CGTK
import Halcyon
import HalcyonTesting
import XCTest

@testable import HalcyonGTK

/// What cells show beside their images.
@MainActor
final class ListCellPartsTests: XCTestCase {
    private func configuration(_ images: NumberedImages) -> ImageListFactory.Configuration {
        var configuration = ImageListFactory.Configuration()
        configuration.makeCell = { .titled(width: 64, height: 64) }
        configuration.title = { item in item.element(Int.self).map { "image \($0)" } }
        configuration.pipeline = images.pipeline
        configuration.prefetchDistance = .none
        return configuration
    }

    private func list(
        _ configuration: ImageListFactory.Configuration,
        _ images: NumberedImages,
        _ model: ImageListModel<Int>
    ) async throws -> (ListWindow, ImageListFactory) {
        try TestWindow.requireDisplay()
        let factory = ImageListFactory(of: Int.self, configuration) { number, _ in images.request(number) }
        let list = try ListWindow(.list, model: model.passRetained(), factories: [factory.pointer])
        await list.present()
        return (list, factory)
    }

    private func text(_ cell: ImageListCell) -> String {
        cell.label.map { String(cString: gtk_label_get_text($0.opaque)) } ?? ""
    }

    /// The children that are laid over the image.
    private func count(_ cell: ImageListCell, _ type: GType) -> Int {
        var count = 0
        var child = cell.overlay.flatMap { gtk_widget_get_first_child($0.widget) }
        while let next = child {
            if next.raw.isInstance(of: type) { count += 1 }
            child = gtk_widget_get_next_sibling(next)
        }
        return count
    }

    private func firstButton(in widget: UnsafeMutablePointer<GtkWidget>?) -> UnsafeMutablePointer<GtkWidget>? {
        guard let widget else { return nil }
        if widget.raw.isInstance(of: gtk_button_get_type()) { return widget }
        var child = gtk_widget_get_first_child(widget)
        while let next = child {
            if let button = firstButton(in: next) { return button }
            child = gtk_widget_get_next_sibling(next)
        }
        return nil
    }

    /// Each cell has the title of its item, as text and as its name, also when it is used for another item.
    func testCellsHaveTheTitlesOfTheirItems() async throws {
        let images = NumberedImages()
        images.answerAll()
        let (list, factory) = try await list(configuration(images), images, ImageListModel(0..<2_000))
        for scrolled in [0, list.end / 2] {
            list.scroll(to: scrolled)
            await list.settle()
            let cells = factory.visibleCells
            XCTAssertGreaterThan(cells.count, 2)
            for (item, cell) in cells {
                XCTAssertEqual(text(cell), "image \(item.position)")
                XCTAssertNotEqual(cgtk_has_accessible_label(cell.widget, "image \(item.position)"), 0)
            }
        }
        list.window.destroy()
    }

    /// The cells in sight are known, with the images that they show.
    func testVisibleCellsAreInOrder() async throws {
        let images = NumberedImages()
        images.answerAll()
        let (list, factory) = try await list(configuration(images), images, ImageListModel(0..<2_000))
        list.scroll(to: list.end / 2)
        await MainLoop.run { !factory.visiblePositions.isEmpty && factory.wrongPositions().isEmpty }
        let cells = factory.visibleCells
        XCTAssertEqual(cells.map(\.item.position), factory.visiblePositions)
        for (item, cell) in cells {
            XCTAssertEqual(cell.display.image.flatMap { NumberedImages.number(of: $0) }, item.position)
        }
        list.window.destroy()
    }

    /// A place keeps its size whatever its title and its image.
    func testTitledCellsHaveTheSizeOfTheirPlace() async throws {
        let images = NumberedImages(side: 300)
        images.answerAll()
        var configuration = configuration(images)
        configuration.title = { _ in String(repeating: "a long title ", count: 20) }
        let (list, factory) = try await list(configuration, images, ImageListModel(0..<50))
        await MainLoop.run { !factory.visiblePositions.isEmpty && factory.wrongPositions().isEmpty }
        for (_, cell) in factory.visibleCells {
            let overlay = try XCTUnwrap(cell.overlay?.widget)
            XCTAssertEqual(gtk_widget_get_width(overlay), 64)
            XCTAssertEqual(gtk_widget_get_height(overlay), 64)
            var natural: gint = 0
            gtk_widget_measure(cell.widget.widget, GTK_ORIENTATION_HORIZONTAL, -1, nil, &natural, nil, nil)
            XCTAssertEqual(natural, 64)
        }
        list.window.destroy()
    }

    /// A cell whose image failed says so; its button loads the image of the item that the cell shows.
    func testFailedCellsLoadAgain() async throws {
        let images = NumberedImages()
        images.transport.setAnswer { _ in ScriptedTransport.Route(status: 404) }
        var configuration = configuration(images)
        configuration.failure = .retry()
        var failures = 0
        configuration.completion = { _, result in if case .failure = result { failures += 1 } }
        let (list, factory) = try await list(configuration, images, ImageListModel(0..<3))
        await MainLoop.run { failures == 3 }
        let cells = factory.visibleCells.map(\.cell)
        XCTAssertEqual(cells.count, 3)
        for cell in cells { XCTAssertEqual(count(cell, gtk_box_get_type()), 2) }
        images.answerAll()
        let button = try XCTUnwrap(firstButton(in: cells[1].overlay?.widget))
        gtk_widget_grab_focus(button)
        gtk_widget_activate(button)
        await MainLoop.run { cells[1].display.image != nil }
        XCTAssertEqual(count(cells[1], gtk_box_get_type()), 1)
        XCTAssertEqual(count(cells[0], gtk_box_get_type()), 2)
        // The keyboard stays at the row.
        let focus = gtk_root_get_focus(list.window.window.opaque)
        XCTAssertEqual(focus, gtk_widget_get_parent(cells[1].widget.widget))
        list.window.destroy()
    }

    /// The program may try again by itself.
    func testFailureGoesWithARetryOfTheProgram() async throws {
        let images = NumberedImages()
        images.transport.setAnswer { _ in ScriptedTransport.Route(status: 404) }
        var configuration = configuration(images)
        configuration.failure = .retry()
        var (failures, successes) = (0, 0)
        configuration.completion = { _, result in
            if case .failure = result { failures += 1 } else { successes += 1 }
        }
        let (list, factory) = try await list(configuration, images, ImageListModel(0..<1))
        await MainLoop.run { failures == 1 }
        let cell = try XCTUnwrap(factory.visibleCells.first?.cell)
        XCTAssertEqual(count(cell, gtk_box_get_type()), 2)
        images.transport.setAnswer(nil)
        cell.display.retry()
        XCTAssertEqual(count(cell, gtk_box_get_type()), 1)
        await MainLoop.run { images.running.count == 1 }
        images.answerAll()
        await MainLoop.run { cell.display.image != nil }
        XCTAssertEqual(count(cell, gtk_box_get_type()), 1)
        XCTAssertEqual(successes, 1)
        list.window.destroy()
    }

    /// The failure of an item is not shown for the next one of the same cell.
    func testFailureGoesWithItsItem() async throws {
        let images = NumberedImages()
        images.transport.setAnswer { _ in ScriptedTransport.Route(status: 404) }
        var configuration = configuration(images)
        configuration.failure = .retry()
        var failures = 0
        configuration.completion = { _, result in if case .failure = result { failures += 1 } }
        let model = ImageListModel(0..<3)
        let (list, factory) = try await list(configuration, images, model)
        await MainLoop.run { failures == 3 }
        images.answerAll()
        model.elements = [10, 11, 12]
        await MainLoop.run { factory.visiblePositions.count == 3 && factory.wrongPositions { $0 + 10 }.isEmpty }
        for (_, cell) in factory.visibleCells { XCTAssertEqual(count(cell, gtk_box_get_type()), 1) }
        list.window.destroy()
    }

    /// Closures that show a failure may take the item away in the middle of it.
    func testProgramRemovesTheItemWhileItsFailureIsMade() async throws {
        let images = NumberedImages()
        images.transport.setAnswer { _ in ScriptedTransport.Route(status: 404) }
        let model = ImageListModel([1])
        var configuration = configuration(images)
        var made = 0
        configuration.failure = .widget { _, _ in
            made += 1
            model.elements = []
            return nonnull(gtk_label_new("failed")).raw
        }
        let (list, factory) = try await list(configuration, images, model)
        await MainLoop.run { made == 1 && factory.boundCells.isEmpty }
        list.window.destroy()
    }

    /// Animated images have a badge, also as still images; others have none, nor has the next item of their cells.
    func testAnimatedImagesHaveABadge() async throws {
        let images = NumberedImages()
        let frames = [1, 2].map { AnimationFrame(bitmap: NumberedImages.bitmap($0), duration: 50) }
        let animation = try ImageCodecs.standard.encode(frames, as: .gif)
        images.transport.setAnswer { request in
            let number = NumberedImages.number(of: request)
            return ScriptedTransport.Route(body: number == 1 ? animation : NumberedImages.png(number))
        }
        var configuration = configuration(images)
        configuration.badge = ImageListBadge.ofAnimation
        let model = ImageListModel([1, 2])
        let (list, factory) = try await list(configuration, images, model)
        await MainLoop.run { factory.visibleCells.filter { $0.cell.display.image != nil }.count == 2 }
        let cells = factory.visibleCells.map(\.cell)
        XCTAssertEqual(cells.map { count($0, gtk_image_get_type()) }, [1, 0])
        model.elements = [3, 4]
        await MainLoop.run { factory.visiblePositions.count == 2 && factory.wrongPositions { $0 + 3 }.isEmpty }
        XCTAssertEqual(factory.visibleCells.map { count($0.cell, gtk_image_get_type()) }, [0, 0])
        list.window.destroy()
    }
}
