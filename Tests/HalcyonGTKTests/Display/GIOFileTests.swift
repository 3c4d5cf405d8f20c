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

    /// The cache folder is that of all programs, and each has its own image by the name of a resource.
    func testResourceIsNotTakenFromTheDisk() async throws {
        let source = Source.gioFile(uri: "resource://" + (try Self.resource()))
        let loads = ViewPipeline()
        let first = try await show(source, on: loads)
        await loads.pipeline.cache.flush()
        let second = try await show(source, on: ViewPipeline(over: loads))
        XCTAssertEqual([first.source, second.source], [.data, .data])
        let third = try await show(source, on: loads)
        XCTAssertEqual(third.source, .memory)
    }

    func testFileOfSchemeOfProgramIsShown() async throws {
        let files = try TestFiles()
        let path = try files.write(try TestColor.blue.png(), to: "blue.png")
        _ = OwnFile.type
        // GIO asks this for the files of the scheme.
        let lookUp: GVfsFileLookupFunc = { _, uri, _ in uri.flatMap { OwnFile.make($0) } }
        g_vfs_register_uri_scheme(g_vfs_get_default(), OwnFile.scheme, lookUp, nil, nil, lookUp, nil, nil)
        defer { g_vfs_unregister_uri_scheme(g_vfs_get_default(), OwnFile.scheme) }
        try await show(.gioFile(uri: "\(OwnFile.scheme)://\(path)"))
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

    @discardableResult
    private func show(_ source: Source, on loads: ViewPipeline = ViewPipeline()) async throws -> ImageResponse {
        let picture = try await TestPicture()
        defer { picture.destroy() }
        let done = Completions()
        picture.display.setImage(with: source, pipeline: loads.pipeline, completion: done.handler)
        await done.wait()
        XCTAssertEqual(done.outcome, "success", "\(done.results)")
        return try XCTUnwrap(done.results.first).get()
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

/// Files of GIO of a type of the tests, which have no path: the bytes are those of the local file that the URI names.
private enum OwnFile {
    static let scheme = "halcyon-test"

    static let type: GType = {
        var description = GTypeInfo()
        description.class_size = guint16(MemoryLayout<GObjectClass>.size)
        description.instance_size = guint16(MemoryLayout<GObject>.size)
        let type = g_type_register_static(
            cgtk_object_type(),
            "HalcyonTestFile",
            &description,
            GTypeFlags(rawValue: 0)
        )
        var interface = GInterfaceInfo()
        interface.interface_init = { table, _ in
            guard let file = table?.assumingMemoryBound(to: GFileIface.self) else { return }
            file.pointee.is_native = { _ in 0 }
            file.pointee.has_uri_scheme = { _, scheme in scheme.map { String(cString: $0) } == OwnFile.scheme ? 1 : 0 }
            file.pointee.get_path = { _ in nil }
            file.pointee.get_uri = { file in g_strdup(OwnFile.uri(of: file)) }
            file.pointee.read_fn = { file, cancellable, error in
                let path = OwnFile.uri(of: file).map { String(cString: $0).dropFirst(OwnFile.scheme.count + 3) }
                guard let local = g_file_new_for_path(path.map(String.init)) else { return nil }
                defer { g_object_unref(UnsafeMutableRawPointer(local)) }
                return g_file_read(local, cancellable, error)
            }
        }
        g_type_add_interface_static(type, g_file_get_type(), &interface)
        return type
    }()

    /// Returns a new file, which the caller owns.
    static func make(_ uri: UnsafePointer<CChar>) -> OpaquePointer? {
        guard let object = g_object_new_with_properties(type, 0, nil, nil) else { return nil }
        g_object_set_data_full(object, "uri", g_strdup(uri), g_free)
        return OpaquePointer(object)
    }

    private static func uri(of file: OpaquePointer?) -> UnsafePointer<CChar>? {
        let object = file.map { UnsafeMutableRawPointer($0).assumingMemoryBound(to: GObject.self) }
        return UnsafePointer(g_object_get_data(object, "uri")?.assumingMemoryBound(to: CChar.self))
    }
}
