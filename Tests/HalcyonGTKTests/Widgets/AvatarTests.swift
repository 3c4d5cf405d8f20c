import CGTK
import Halcyon
import HalcyonTesting
import XCTest

@testable import HalcyonGTK

/// Images of avatars, which draw initials where they have none: of one with the rules of libadwaita, and of libadwaita's
/// own where it is installed.
@MainActor
final class AvatarTests: XCTestCase {
    func testInitialsStayUntilThereIsImage() async throws {
        try await checkInitials { try TestAvatar().pointer.widget }
    }

    func testInitialsOfLibadwaitaStayUntilThereIsImage() async throws {
        let libadwaita = try Libadwaita()
        try await checkInitials { try libadwaita.avatar(64, "Ada Lovelace") }
    }

    func testPhotographCoversAvatar() async throws { try await checkPhotographs { try TestAvatar().pointer.widget } }

    func testPhotographCoversAvatarOfLibadwaita() async throws {
        let libadwaita = try Libadwaita()
        try await checkPhotographs { try libadwaita.avatar(64, "Ada Lovelace") }
    }

    private typealias Make = () throws -> UnsafeMutablePointer<GtkWidget>?

    private func show(_ make: Make) async throws -> ShownWidget {
        let widget = try make()
        return try await ShownWidget {
            gtk_widget_set_size_request(widget, 64, 64)
            gtk_widget_set_halign(widget, GTK_ALIGN_CENTER)
            gtk_widget_set_valign(widget, GTK_ALIGN_CENTER)
            return widget
        }
    }

    private func checkInitials(_ make: Make, file: StaticString = #filePath, line: UInt = #line) async throws {
        try TestWindow.requireDisplay()
        let shown = try await show(make)
        defer { shown.destroy() }
        let display = ImageDisplay(shown.widget)
        let loads = ViewPipeline()
        let image = { cgtk_object_property(shown.widget, "custom-image", nil) }
        display.setImage(with: loads.url(), pipeline: loads.pipeline)
        _ = await loads.transport.nextTransfer()
        XCTAssertNil(image(), "while loading", file: file, line: line)
        let failed = Completions()
        display.setImage(with: loads.missing(), pipeline: loads.pipeline, completion: failed.handler)
        await failed.wait()
        XCTAssertNil(image(), "after a failure", file: file, line: line)
        display.setImage(with: Optional<ImageRequest>.none)
        XCTAssertNil(image(), "without a source", file: file, line: line)
        let manual = Completions()
        display.setImage(
            with: try loads.url(.blue),
            options: [.setting(.manual)],
            pipeline: loads.pipeline,
            completion: manual.handler
        )
        await manual.wait()
        XCTAssertNil(image(), "where the program shows the image", file: file, line: line)
        display.show(try TestColor.red.image())
        XCTAssertNotNil(image(), file: file, line: line)
        display.show(nil)
        XCTAssertNil(image(), "after the image", file: file, line: line)
    }

    private func checkPhotographs(_ make: Make, file: StaticString = #filePath, line: UInt = #line) async throws {
        try TestWindow.requireDisplay()
        let loads = ViewPipeline()
        for options: [ImageOption] in [[], [.transition(.fade(0.05))]] {
            let shown = try await show(make)
            defer { shown.destroy() }
            let display = ImageDisplay(shown.widget)
            for (color, width, height) in [
                (TestColor.blue, 640, 320), (.red, 200, 500), (.green, 80, 80), (.blue, 80, 80),
            ] {
                let done = Completions()
                let url = try loads.url(color, width, height)
                display.setImage(with: url, options: options, pipeline: loads.pipeline, completion: done.handler)
                await done.wait()
                XCTAssertEqual(done.outcome, "success", file: file, line: line)
                await shown.wait(for: color, file: file, line: line)
                let pixels = await shown.frames.next(file: file, line: line)
                for (x, y) in [(32, 1), (32, 62), (1, 32), (62, 32)] {
                    XCTAssertEqual(
                        pixels?[x, y],
                        color,
                        "\(width) × \(height), at (\(x), \(y))",
                        file: file,
                        line: line
                    )
                }
            }
        }
    }
}
