import CGTK
import Foundation
import Halcyon
import HalcyonGTK
import HalcyonTesting
import XCTest

@testable import HalcyonGallery

/// What is opened, in each way in which a person can, and what cannot be.
@MainActor
final class GalleryOpeningTests: XCTestCase {
    private func names(_ window: GalleryWindow) -> [String] {
        (0..<window.collection.count).compactMap { window.collection.item(at: $0)?.name }
    }

    /// A folder without images says so, and leaves the window as it was.
    func testFolderWithoutImages() async throws {
        let fixture = try GalleryFixture()
        defer { fixture.end() }
        try Data("text".utf8).write(to: URL(fileURLWithPath: fixture.folder + "/notes.md"))
        await fixture.openFolder()
        XCTAssertEqual(fixture.window.page, .empty)
        let name = URL(fileURLWithPath: fixture.folder).lastPathComponent
        XCTAssertEqual(fixture.window.notice.text, "There are no images in “\(name)”")
    }

    /// What cannot be read, or is no link, is said.
    func testProblemsAreSaid() async throws {
        let fixture = try GalleryFixture()
        defer { fixture.end() }
        // Longer than a list may be.
        let list = fixture.folder + "/links.txt"
        XCTAssertTrue(FileManager.default.createFile(atPath: list, contents: nil))
        XCTAssertEqual(truncate(list, off_t(LinkList.byteLimit + 1)), 0)
        var problems: [ReadingProblem] = []
        for await batch in ItemReader().batches(of: [list, "http://[", fixture.folder]) { problems += batch.problems }
        XCTAssertEqual(problems, [.unreadable(list), .notALink("http://["), .noImages(fixture.folder)])
        XCTAssertEqual(problems.map(\.message).first, "“links.txt” cannot be read")
    }

    /// A notice goes by itself.
    func testNoticesGo() async throws {
        let fixture = try GalleryFixture()
        defer { fixture.end() }
        fixture.window.notice.duration = .milliseconds(1)
        fixture.window.notice.show("a notice")
        XCTAssertEqual(fixture.window.notice.text, "a notice")
        await MainLoop.run { fixture.window.notice.text == nil }
    }

    /// Of thousands of images, those in sight and the next page are read, and no more.
    func testThousandsOfImages() async throws {
        let fixture = try GalleryFixture()
        defer { fixture.end() }
        try fixture.write(.green, to: "0.png", 40, 30)
        // Links, as each file that is written waits for the disk.
        for number in 1..<3_000 {
            XCTAssertEqual(link(fixture.folder + "/0.png", fixture.folder + "/\(number).png"), 0)
        }
        await fixture.openFolder()
        let window = fixture.window
        XCTAssertEqual(window.collection.count, 3_000)
        XCTAssertEqual(names(window).last, "2999.png")
        let visible = window.grid.visibleCells.count
        await MainLoop.turn()
        XCTAssertLessThanOrEqual(window.pipeline.statistics.loads, visible * 2 + 20)
        window.grid.reveal(2_999)
        await MainLoop.run { fixture.cell(at: 2_999)?.display.image != nil }
        await fixture.settle()
        XCTAssertLessThan(window.pipeline.statistics.loads, 600)
    }

    /// The dialog in which files are chosen, where the desktop has none of its own.
    private var chooser: OpaquePointer? {
        guard let windows = gtk_window_get_toplevels() else { return nil }
        for index in 0..<g_list_model_get_n_items(windows) {
            guard let window = g_list_model_get_item(windows, index) else { continue }
            defer { g_object_unref(window) }
            if cgtk_is_a(window, gtk_file_chooser_dialog_get_type()) != 0 { return window.opaque }
        }
        return nil
    }

    private func answer(_ dialog: OpaquePointer, _ response: GtkResponseType) {
        gtk_dialog_response(dialog.raw.assumingMemoryBound(to: GtkDialog.self), response.rawValue)
    }

    /// The file that is chosen is shown; a dialog that is cancelled changes nothing.
    func testChoosingFiles() async throws {
        let fixture = try GalleryFixture()
        defer { fixture.end() }
        try fixture.write(.green, to: "a.png")
        let window = fixture.window
        window.present()
        g_action_group_activate_action(window.window, "open", nil)
        await MainLoop.run { self.chooser != nil }
        let file = try XCTUnwrap(g_file_new_for_path(fixture.folder + "/a.png"))
        defer { g_object_unref(file.raw) }
        let dialog = try XCTUnwrap(chooser)
        XCTAssertNotEqual(gtk_file_chooser_set_file(dialog, file, nil), 0)
        await MainLoop.run {
            let chosen = gtk_file_chooser_get_file(dialog)
            defer { if let chosen { g_object_unref(chosen.raw) } }
            return chosen.map { g_file_equal($0, file) != 0 } ?? false
        }
        answer(dialog, GTK_RESPONSE_ACCEPT)
        await MainLoop.run { window.detail.item?.name == "a.png" }
        window.back()
        g_action_group_activate_action(window.window, "open-folder", nil)
        await MainLoop.run { self.chooser != nil }
        answer(try XCTUnwrap(chooser), GTK_RESPONSE_CANCEL)
        await MainLoop.run { self.chooser == nil }
        XCTAssertEqual(window.collection.count, 1)
        XCTAssertEqual(window.page, .grid)
    }

    /// Drops something on the window, as GTK does.
    private func drop(_ value: inout GValue, on window: GalleryWindow) throws -> Bool {
        let controllers = try XCTUnwrap(gtk_widget_observe_controllers(window.window.widget))
        defer { g_object_unref(controllers.raw) }
        for index in 0..<g_list_model_get_n_items(controllers) {
            guard let controller = g_list_model_get_item(controllers, index) else { continue }
            defer { g_object_unref(controller) }
            guard cgtk_is_a(controller, gtk_drop_target_get_type()) != 0 else { continue }
            var arguments = [GValue](repeating: GValue(), count: 4)
            g_value_init(&arguments[0], gtk_drop_target_get_type())
            g_value_set_object(&arguments[0], controller)
            g_value_init(&arguments[1], g_value_get_type())
            g_value_set_boxed(&arguments[1], &value)
            for index in 2...3 { g_value_init(&arguments[index], g_type_from_name("gdouble")) }
            var result = GValue()
            g_value_init(&result, g_type_from_name("gboolean"))
            g_signal_emitv(arguments, g_signal_lookup("drop", gtk_drop_target_get_type()), 0, &result)
            for index in arguments.indices { g_value_unset(&arguments[index]) }
            return g_value_get_boolean(&result) != 0
        }
        XCTFail("the window takes no drops")
        return false
    }

    private func drop(text: String, on window: GalleryWindow) throws -> Bool {
        var value = GValue()
        g_value_init(&value, g_type_from_name("gchararray"))
        g_value_set_string(&value, text)
        defer { g_value_unset(&value) }
        return try drop(&value, on: window)
    }

    /// Files, and links of a `text/uri-list`, which GTK passes as files.
    func testDroppedFiles() async throws {
        let fixture = try GalleryFixture()
        defer { fixture.end() }
        try fixture.write(.red, to: "a file.png")
        let file = g_file_new_for_path(fixture.folder + "/a file.png")
        let link = g_file_new_for_uri("https://gallery.example/photos/sea.jpg")
        var files: UnsafeMutablePointer<GSList>?
        for object in [link, file] {
            files = g_slist_prepend(files, object.map { $0.raw })
        }
        var value = GValue()
        g_value_init(&value, gdk_file_list_get_type())
        g_value_take_boxed(&value, gdk_file_list_new_from_list(files)?.raw)
        g_slist_free_full(files) { g_object_unref($0) }
        defer { g_value_unset(&value) }
        fixture.window.present()
        XCTAssertTrue(try drop(&value, on: fixture.window))
        await MainLoop.run { fixture.window.reading == nil }
        XCTAssertEqual(names(fixture.window), ["a file.png", "sea.jpg"])
    }

    /// Text with links or paths is taken; any other text is refused, and adds nothing.
    func testDroppedText() async throws {
        let fixture = try GalleryFixture()
        defer { fixture.end() }
        fixture.window.present()
        XCTAssertFalse(try drop(text: "a sentence\nof two lines", on: fixture.window))
        XCTAssertTrue(try drop(text: "https://gallery.example/a.png\r\n/tmp/b.png\n", on: fixture.window))
        await MainLoop.run { fixture.window.reading == nil }
        XCTAssertEqual(names(fixture.window), ["a.png", "b.png"])
    }
}
