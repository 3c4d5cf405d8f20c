import CGTK
import Foundation
import Halcyon
import HalcyonSystem
import XCTest

@testable import HalcyonGallery

/// Reading of several folders, and several windows.
@MainActor
final class GalleryReadingTests: XCTestCase {
    /// Of all that was opened before, nothing comes after the window was cleared.
    func testClearingEndsAllReadings() async throws {
        let fixture = try GalleryFixture()
        defer { fixture.end() }
        var folders: [String] = []
        for name in ["a", "b", "c"] {
            let folder = fixture.folder + "/" + name
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            try fixture.write(.red, to: "\(name)/\(name)1.png", 4, 4)
            try fixture.write(.red, to: "\(name)/\(name)2.png", 4, 4)
            folders.append(folder)
        }
        fixture.window.present()
        fixture.window.open([folders[0]])
        fixture.window.open([folders[1]])
        fixture.window.clear()
        fixture.window.open([folders[2]])
        await MainLoop.run { fixture.window.collection.item(at: 0) != nil && fixture.window.reading == nil }
        XCTAssertEqual((0..<4).map { fixture.window.collection.item(at: $0)?.name }, ["c1.png", "c2.png", nil, nil])
    }

    /// Lines of a list that are relative paths lead to files beside the list, wherever the program was started.
    func testLinesOfListAreRelativeToList() async throws {
        let fixture = try GalleryFixture()
        defer { fixture.end() }
        let folder = fixture.folder + "/lists"
        try FileManager.default.createDirectory(atPath: folder + "/more", withIntermediateDirectories: true)
        try fixture.write(.red, to: "lists/1.png", 4, 4)
        try fixture.write(.red, to: "lists/more/2.png", 4, 4)
        try fixture.write(.red, to: "3.png", 4, 4)
        let lines = "1.png\n./more/2.png\n\(fixture.folder)/3.png\n"
        try lines.write(toFile: folder + "/list.txt", atomically: true, encoding: .utf8)
        fixture.window.open([folder + "/list.txt"])
        await MainLoop.run { fixture.window.reading == nil }
        let paths = (0..<3).map { fixture.window.collection.item(at: $0)?.path }
        XCTAssertEqual(paths, [folder + "/1.png", folder + "/./more/2.png", fixture.folder + "/3.png"])
    }

    /// Files and folders whose names are not UTF-8 are shown, under names in which that is replaced.
    func testNamesThatAreNotUTF8() async throws {
        let fixture = try GalleryFixture()
        defer { fixture.end() }
        try fixture.write(.red, to: "plain.png", 4, 4)
        let folder = FilePath.text(of: Array(fixture.folder.utf8) + [0x2F, 0xE9])
        XCTAssertEqual(FilePath.withCString(folder) { mkdir($0, 0o700) }, 0)
        let file = FilePath.text(of: FilePath.bytes(of: folder) + Array("/a".utf8) + [0xFF] + Array(".png".utf8))
        XCTAssertEqual(FilePath.withCString(file) { rename(fixture.folder + "/plain.png", $0) }, 0)
        for location in [fixture.folder, folder, file] {
            fixture.window.present()
            fixture.window.open([location])
            await MainLoop.run { fixture.window.reading == nil }
            let item = fixture.window.collection.item(at: 0)
            XCTAssertEqual(item?.name, "a\u{FFFD}.png", location)
            XCTAssertEqual(item?.place, fixture.folder + "/\u{FFFD}")
            let image = try await ImagePipeline.shared.image(from: ImageRequest(try XCTUnwrap(item).source))
            XCTAssertEqual(image.size, PixelSize(4, 4))
            fixture.window.clear()
        }
    }

    /// Nor need a list and its lines be.
    func testListOfNamesThatAreNotUTF8() async throws {
        let fixture = try GalleryFixture()
        defer { fixture.end() }
        let name: [UInt8] = [0x61, 0xFF, 0x2E, 0x70, 0x6E, 0x67]
        let folder = Array(fixture.folder.utf8) + [0x2F, 0xE9]
        XCTAssertEqual(FilePath.withCString(FilePath.text(of: folder)) { mkdir($0, 0o700) }, 0)
        try fixture.write(.red, to: "plain.png", 4, 4)
        let file = FilePath.text(of: folder + [0x2F] + name)
        XCTAssertEqual(FilePath.withCString(file) { rename(fixture.folder + "/plain.png", $0) }, 0)
        let lines = [name, Array(" é.png ".utf8), folder + [0x2F] + name]
        try Data(lines.joined(separator: [0x0D, 0x0A])).write(to: URL(fileURLWithPath: fixture.folder + "/plain.txt"))
        let list = FilePath.text(of: folder + Array("/list.txt".utf8))
        XCTAssertEqual(FilePath.withCString(list) { rename(fixture.folder + "/plain.txt", $0) }, 0)
        fixture.window.open([list])
        await MainLoop.run { fixture.window.reading == nil }
        let paths = (0..<3).map { fixture.window.collection.item(at: $0)?.path }
        XCTAssertEqual(paths, [file, FilePath.text(of: folder + Array("/é.png".utf8)), file])
    }

    /// A desktop that has no other program for folders must not open them with this one.
    func testDesktopEntryClaimsImagesAlone() async throws {
        let package = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("../../..")
        let entry = package.appendingPathComponent("Sources/HalcyonGallery/Resources/io.github.halcyon.Gallery.desktop")
        let lines = try String(contentsOf: entry, encoding: .utf8).split(separator: "\n")
        let types = try XCTUnwrap(lines.first { $0.hasPrefix("MimeType=") }).dropFirst("MimeType=".count)
        XCTAssertEqual(types.split(separator: ";").filter { !$0.hasPrefix("image/") }, [])
    }

    /// The window is not ready while a later folder is still to be read.
    func testReadingLastsUntilTheLastFolderIsRead() async throws {
        let fixture = try GalleryFixture()
        defer { fixture.end() }
        try fixture.write(.red, to: "1.png", 4, 4)
        try fixture.write(.red, to: "2.png", 4, 4)
        fixture.window.open([fixture.folder + "/1.png"])
        fixture.window.open([fixture.folder + "/2.png"])
        await MainLoop.run { fixture.window.reading == nil }
        XCTAssertEqual(fixture.window.collection.count, 2)
    }

    /// An image that is reduced to less than the least factor to fit is not enlarged by zooming out.
    func testZoomingOutOfHugeImageDoesNotEnlarge() async {
        var scale = ZoomScale()
        scale.area = (width: 400, height: 300)
        scale.imageSize = PixelSize(60_000, 30_000)
        let fitting = scale.factor
        XCTAssertLessThan(fitting, ZoomScale.range.lowerBound)
        scale.zoom(by: 1 / ZoomScale.step)
        XCTAssertLessThanOrEqual(scale.factor, fitting)
    }

    /// The longest image that there is, at the greatest factor.
    func testZoomedSizeIsBounded() async throws {
        let fixture = try GalleryFixture()
        defer { fixture.end() }
        fixture.window.present()
        let zoom = fixture.window.detail.zoom
        zoom.show(PixelSize(1 << 26, 1 << 26))
        zoom.zoom(by: 1_000_000)
        var size: gint = 0
        gtk_widget_measure(zoom.content, GTK_ORIENTATION_HORIZONTAL, -1, &size, nil, nil, nil)
        let canvas = gtk_widget_get_parent(zoom.content)
        gtk_widget_measure(canvas, GTK_ORIENTATION_HORIZONTAL, -1, &size, nil, nil, nil)
        XCTAssertGreaterThan(size, 1 << 26)
    }

    /// The style is the program's: each window says the same.
    func testDarkStyleIsThatOfAllWindows() async throws {
        let (first, second) = (try GalleryFixture(), try GalleryFixture())
        defer {
            change("dark", in: first.window.window, to: false)
            first.end()
            second.end()
        }
        change("dark", in: first.window.window, to: true)
        XCTAssertTrue(Style.isDark)
        let action = try XCTUnwrap(g_action_map_lookup_action(second.window.window, "dark"))
        let state = try XCTUnwrap(g_action_get_state(action))
        XCTAssertNotEqual(g_variant_get_boolean(state), 0)
        g_variant_unref(state)
    }
}
