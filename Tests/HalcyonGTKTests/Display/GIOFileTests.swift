import CGTK
import Foundation
import Halcyon
import HalcyonTesting
import XCTest

@testable import HalcyonGTK

/// Images in files of GIO, and in files whose names are not UTF-8.
@MainActor
final class GIOFileTests: XCTestCase {
    func testResourceIsShown() async throws {
        let resource = try Self.resource()
        try await show(.gioFile(uri: "resource://" + resource))
    }

    func testFileOfSchemeOfProgramIsShown() async throws {
        // GIO asks this for the files of the scheme: here those are resources.
        let lookUp: GVfsFileLookupFunc = { _, uri, _ in
            let path = uri.map { String(cString: $0).dropFirst("halcyon-test:".count) } ?? ""
            return g_file_new_for_uri("resource:\(path)")
        }
        g_vfs_register_uri_scheme(g_vfs_get_default(), "halcyon-test", lookUp, nil, nil, lookUp, nil, nil)
        defer { g_vfs_unregister_uri_scheme(g_vfs_get_default(), "halcyon-test") }
        try await show(.gioFile(uri: "halcyon-test://" + Self.resource()))
    }

    func testFileWithPathIsTheSourceOfThatPath() throws {
        let files = try TestFiles()
        let path = try files.write(try TestColor.blue.png(), to: "blue image.png")
        let file = try UnsafeMutableRawPointer(XCTUnwrap(g_file_new_for_path(path)))
        defer { g_object_unref(file) }
        XCTAssertEqual(Source.gioFile(file), .file(path))
        XCTAssertEqual(Source.gioFile(uri: takeString(g_file_get_uri(file.opaque))), .file(path))
        XCTAssertEqual(Source.gioFile(uri: "https://example.org/a.png").url?.host(), "example.org")
    }

    func testFileOfNameThatIsNotUTF8IsShown() async throws {
        let files = try TestFiles()
        let path = try files.write(try TestColor.blue.png(), to: [0x61, 0xFF, 0x2E, 0x70, 0x6E, 0x67])
        try await show(.file(pathBytes: path))
        let url = try XCTUnwrap(URL(string: "file://\(files.folder)/a%ff.png"))
        XCTAssertEqual(Source.url(url), .file(pathBytes: path))
        try await show(.url(url))
        let file = try UnsafeMutableRawPointer(
            XCTUnwrap(g_file_new_for_path(path.map { CChar(truncatingIfNeeded: $0) } + [0]))
        )
        defer { g_object_unref(file) }
        XCTAssertEqual(Source.gioFile(file), .url(url))
    }

    func testFileThatIsNotThereFails() async throws {
        let picture = try await TestPicture()
        defer { picture.destroy() }
        let done = Completions()
        let source = Source.gioFile(uri: "resource:///halcyon/none.png")
        picture.display.setImage(with: source, pipeline: ViewPipeline().pipeline, completion: done.handler)
        await done.wait()
        XCTAssertEqual(done.outcome, "failure")
    }

    private func show(_ source: Source) async throws {
        let picture = try await TestPicture()
        defer { picture.destroy() }
        let loads = ViewPipeline()
        let done = Completions()
        picture.display.setImage(with: source, pipeline: loads.pipeline, completion: done.handler)
        await done.wait()
        XCTAssertEqual(done.outcome, "success", "\(done.results)")
    }

    /// Returns the path of some PNG among the resources of GTK.
    private static func resource() throws -> String {
        try TestWindow.requireDisplay()
        var folders = ["/org/gtk/libgtk/"]
        while let folder = folders.popLast() {
            guard let names = g_resources_enumerate_children(folder, G_RESOURCE_LOOKUP_FLAGS_NONE, nil) else {
                continue
            }
            defer { g_strfreev(names) }
            var index = 0
            while let name = names[index] {
                let path = folder + String(cString: name)
                if path.hasSuffix("/") { folders.append(path) }
                if path.hasSuffix(".png") { return path }
                index += 1
            }
        }
        throw XCTSkip("this GTK has no PNG among its resources")
    }
}
