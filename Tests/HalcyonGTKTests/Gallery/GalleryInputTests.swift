import CGTK
import Foundation
import Halcyon
import HalcyonGTK
import XCTest

@testable import HalcyonGallery

/// The program under the keys and the pointer of a person.
@MainActor
final class GalleryInputTests: XCTestCase {
    private func begin(_ names: String...) async throws -> (GalleryFixture, GalleryWindow, TestInput) {
        let fixture = try GalleryFixture()
        for name in names { try fixture.write(.red, to: name) }
        await fixture.openFolder()
        do {
            let input = try TestInput(for: fixture.window.windowPointer)
            await MainLoop.run { gtk_window_is_active(fixture.window.windowPointer) != 0 }
            return (fixture, fixture.window, input)
        } catch {
            fixture.end()
            throw error
        }
    }

    /// Letters that are typed in the grid search; Escape ends the search, and shows all images again.
    func testTypingSearches() async throws {
        let (fixture, window, input) = try await begin("cat.png", "dog.png", "catfish.png")
        defer {
            input.end()
            fixture.end()
        }
        window.grid.focus()
        input.type("cat")
        await MainLoop.run { window.collection.matchCount == 2 }
        XCTAssertNotEqual(gtk_search_bar_get_search_mode(window.searchBar.opaque), 0)
        input.press("Escape")
        await MainLoop.run { window.collection.matchCount == 3 }
        XCTAssertEqual(gtk_search_bar_get_search_mode(window.searchBar.opaque), 0)
    }

    /// Control and F search, and Escape leads back to the grid.
    func testSearchShortcut() async throws {
        let (fixture, window, input) = try await begin("cat.png", "dog.png")
        defer {
            input.end()
            fixture.end()
        }
        input.press("Control_L", "f")
        await MainLoop.run { gtk_search_bar_get_search_mode(window.searchBar.opaque) != 0 }
        input.type("cow")
        await MainLoop.run { window.page == .notFound }
        input.press("Escape")
        await MainLoop.run { window.page == .grid && window.collection.matchCount == 2 }
    }

    /// Return in the search shows the first image that matches, though it was typed a moment ago.
    func testReturnInTheSearch() async throws {
        let (fixture, window, input) = try await begin("cat.png", "dog.png", "dogfish.png")
        defer {
            input.end()
            fixture.end()
        }
        input.press("Control_L", "f")
        await MainLoop.run { gtk_search_bar_get_search_mode(window.searchBar.opaque) != 0 }
        await MainLoop.run {
            let focus = gtk_root_get_focus(window.window)
            let isFocused = focus.map { gtk_widget_is_ancestor($0, window.searchEntry) != 0 } ?? false
            // Before it is on the screen, it takes letters, but no Return.
            return isFocused && gtk_widget_get_mapped(window.searchEntry) != 0
        }
        input.type("dog")
        input.press("Return")
        await MainLoop.run { window.detail.item?.name == "dog.png" }
        XCTAssertEqual(window.collection.matchCount, 2)
    }

    /// A pointer that rests on the grid selects nothing, and has no say in which image comes next.
    func testPointerAtRest() async throws {
        let (fixture, window, input) = try await begin("1.png", "2.png", "3.png")
        defer {
            input.end()
            fixture.end()
        }
        window.grid.focus()
        input.move(to: try XCTUnwrap(fixture.cell(at: 2)).widget.assumingMemoryBound(to: GtkWidget.self))
        input.press("Home")
        input.press("Return")
        await MainLoop.run { window.detail.item?.name == "1.png" }
        await fixture.settle()
        XCTAssertEqual(window.shownPosition, 0)
        input.press("Right")
        await MainLoop.run { window.detail.item?.name == "2.png" }
    }

    /// A click shows an image in full; the arrow keys turn, and Escape leads back to where one was.
    func testClickAndArrowKeys() async throws {
        let (fixture, window, input) = try await begin("1.png", "2.png", "3.png")
        defer {
            input.end()
            fixture.end()
        }
        let cell = try XCTUnwrap(fixture.cell(at: 1))
        input.move(to: cell.widget.assumingMemoryBound(to: GtkWidget.self))
        input.click()
        await MainLoop.run { window.page == .detail && window.detail.item?.name == "2.png" }
        input.press("Right")
        await MainLoop.run { window.detail.item?.name == "3.png" }
        input.press("Right")
        input.press("Home")
        await MainLoop.run { window.detail.item?.name == "1.png" }
        input.press("Escape")
        await MainLoop.run { window.page == .grid }
        XCTAssertEqual(window.collection.selectedPosition, 0)
    }

    /// Where text runs from right to left, the left key leads on.
    func testArrowKeysFollowTheDirection() async throws {
        let previous = gtk_widget_get_default_direction()
        gtk_widget_set_default_direction(GTK_TEXT_DIR_RTL)
        defer { gtk_widget_set_default_direction(previous) }
        let (fixture, window, input) = try await begin("1.png", "2.png")
        defer {
            input.end()
            fixture.end()
        }
        window.open(0)
        await fixture.settle()
        input.press("Left")
        await MainLoop.run { window.detail.item?.name == "2.png" }
    }

    /// Arrow keys move in the grid, Return shows the image, and Delete removes it from the window.
    func testKeysInTheGrid() async throws {
        let (fixture, window, input) = try await begin("1.png", "2.png", "3.png")
        defer {
            input.end()
            fixture.end()
        }
        window.collection.selectedPosition = 0
        window.grid.reveal(0)
        window.grid.focus()
        input.press("Right")
        await MainLoop.run { window.collection.selectedPosition == 1 }
        input.press("Delete")
        await MainLoop.run { window.collection.count == 2 }
        XCTAssertEqual(window.collection.selectedPosition, 1)
        XCTAssertEqual(window.notice.text, "“2.png” was removed from this window")
        XCTAssertTrue(FileManager.default.fileExists(atPath: fixture.folder + "/2.png"))
        await fixture.settle()
        input.press("Return")
        await MainLoop.run { window.detail.item?.name == "3.png" }
    }

    /// Delete shows the next image in full, and an empty window after the last.
    func testDeletingInFull() async throws {
        let (fixture, window, input) = try await begin("1.png", "2.png")
        defer {
            input.end()
            fixture.end()
        }
        window.open(0)
        await fixture.settle()
        input.press("Delete")
        await MainLoop.run { window.detail.item?.name == "2.png" }
        input.press("Delete")
        await MainLoop.run { window.page == .empty && window.detail.item == nil }
    }

    /// Delete in the search deletes letters, and no image.
    func testDeletingInTheSearch() async throws {
        let (fixture, window, input) = try await begin("cat.png", "dog.png")
        defer {
            input.end()
            fixture.end()
        }
        window.collection.selectedPosition = 0
        input.press("Control_L", "f")
        await MainLoop.run { gtk_search_bar_get_search_mode(window.searchBar.opaque) != 0 }
        input.type("cat")
        await MainLoop.run { window.collection.matchCount == 1 }
        input.press("Delete")
        input.press("Home")
        input.press("Delete")
        await MainLoop.run { String(cString: gtk_editable_get_text(window.searchEntry.opaque)) == "at" }
        XCTAssertEqual(window.collection.count, 2)
    }

    /// The wheel zooms while Control is held, around the pointer; keys zoom around the middle.
    func testZoomingByWheelAndKeys() async throws {
        let (fixture, window, input) = try await begin("1.png", "2.png")
        defer {
            input.end()
            fixture.end()
        }
        window.open(0)
        await fixture.settle()
        let zoom = window.detail.zoom
        input.move(to: zoom.widget)
        await MainLoop.turn()
        input.holding("Control_L") { input.click(4) }
        await MainLoop.run { abs(zoom.scale.factor - ZoomScale.step) < 0.001 }
        input.click(4)
        input.press("minus")
        await MainLoop.run { zoom.scale.mode == .fit }
        input.press("plus")
        input.press("plus")
        await MainLoop.run { abs(zoom.scale.factor - ZoomScale.step * ZoomScale.step) < 0.001 }
        input.press("1")
        await MainLoop.run { zoom.scale.factor == 1 }
    }

    /// Two clicks zoom in, and two more show the whole image again.
    func testDoubleClickZooms() async throws {
        let (fixture, window, input) = try await begin("1.png", "2.png")
        defer {
            input.end()
            fixture.end()
        }
        window.open(0)
        await fixture.settle()
        input.move(to: window.detail.zoom.widget)
        for _ in 0..<2 { input.click() }
        await MainLoop.run { window.detail.zoom.scale.mode == .factor(2) }
    }

    /// Another attempt of a cell is made with the button in it.
    func testTryingAgainInACell() async throws {
        let fixture = try GalleryFixture()
        defer { fixture.end() }
        try fixture.writeDamaged(to: "1.png")
        try fixture.write(.red, to: "2.png")
        await fixture.openFolder()
        let input = try TestInput(for: fixture.window.windowPointer)
        defer { input.end() }
        try fixture.write(.green, to: "1.png")
        let cell = try XCTUnwrap(fixture.cell(at: 0))
        // The button is in the lower half of the image's place.
        let place = try XCTUnwrap(cell.overlay).assumingMemoryBound(to: GtkWidget.self)
        input.move(to: place, y: Double(gtk_widget_get_height(place)) / 2 + 22)
        input.click()
        await MainLoop.run { cell.display.image != nil }
        XCTAssertEqual(fixture.window.page, .grid)
    }
}
