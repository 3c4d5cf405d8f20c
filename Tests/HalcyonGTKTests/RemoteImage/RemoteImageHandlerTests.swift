import CGTK
import Halcyon
import HalcyonTesting
import XCTest

@testable import HalcyonGTK

/// What a program does to the children of a remote image, and in their handlers.
@MainActor
final class RemoteImageHandlerTests: XCTestCase {
    private let pipeline = ViewPipeline()

    override func setUp() async throws { try TestWindow.requireDisplay() }

    /// A handler at the failure child, which is removed by a new load, asks for another one.
    func testLoadThatBeginsWhileTheFailureChildIsRemovedIsTheOneThatCounts() async throws {
        let log = Log()
        var configuration = RemoteImage.Configuration()
        configuration.failure = .widget { _, _ in
            let label = UnsafeMutableRawPointer(nonnull(gtk_label_new("failed")))
            onSignal(label, "unmap") { _ in log.act?() }
            return label
        }
        configuration.onSuccess = { _ in log.successes += 1 }
        let test = try await TestRemoteImage(ImageRequest(pipeline.missing()), configuration, on: pipeline)
        await test.waitUntilFailed()
        let good = ImageRequest(try pipeline.url(.green))
        log.act = {
            log.act = nil
            test.image.request = good
        }
        test.image.request = ImageRequest(pipeline.url())
        await MainLoop.run(within: .seconds(5)) { log.successes == 1 }
        guard case .loaded = test.image.state else { return XCTFail("\(test.image.state)") }
        XCTAssertEqual(test.image.request, good)
        test.window.destroy()
    }

    /// A handler at the placeholder, which is replaced, asks for a third one, which is the only one left.
    func testPlaceholderThatIsMadeWhileAnotherIsRemovedIsTheOneThatIsShown() async throws {
        let log = Log()
        func placeholder(_ name: String) -> RemoteImage.PlaceholderChild {
            .widget {
                let label = UnsafeMutableRawPointer(nonnull(gtk_label_new(name)))
                log.children.append(label)
                if name == "first" { onSignal(label, "unmap") { _ in log.act?() } }
                return label
            }
        }
        var configuration = RemoteImage.Configuration()
        configuration.placeholder = placeholder("first")
        let test = try await TestRemoteImage(ImageRequest(pipeline.url()), configuration, on: pipeline)
        XCTAssertEqual(log.children.count, 1)
        log.act = {
            log.act = nil
            var configuration = test.image.configuration
            configuration.placeholder = placeholder("third")
            test.image.configuration = configuration
        }
        configuration.placeholder = placeholder("second")
        test.image.configuration = configuration
        var names: [String] = []
        var child = gtk_widget_get_first_child(test.widget)
        while let present = child {
            let pointer = UnsafeMutableRawPointer(present)
            if pointer.isInstance(of: gtk_label_get_type()) {
                names.append(String(cString: gtk_label_get_text(pointer.opaque)))
            }
            child = gtk_widget_get_next_sibling(present)
        }
        XCTAssertEqual(names, ["third"])
        test.window.destroy()
    }

    /// Children that the program takes out are no longer asked about; GTK would complain each time.
    func testChildrenMayBeTakenOutByTheProgram() async throws {
        let log = Log()
        var configuration = RemoteImage.Configuration()
        configuration.placeholder = .widget {
            let label = nonnull(gtk_label_new("placeholder"))
            log.children.append(UnsafeMutableRawPointer(label))
            return UnsafeMutableRawPointer(label)
        }
        configuration.failure = .widget { _, _ in
            let label = nonnull(gtk_label_new("failed"))
            log.children.append(UnsafeMutableRawPointer(label))
            return UnsafeMutableRawPointer(label)
        }
        let test = try await TestRemoteImage(ImageRequest(pipeline.missing()), configuration, on: pipeline)
        await test.waitUntilFailed()
        XCTAssertEqual(log.children.count, 2)
        for child in log.children { gtk_overlay_remove_overlay(OpaquePointer(test.widget), child.widget) }
        Self.complaints = 0
        let earlier = g_log_set_default_handler(
            { _, level, message, _ in
                if level.rawValue & (G_LOG_LEVEL_CRITICAL.rawValue | G_LOG_LEVEL_WARNING.rawValue) != 0 {
                    MainActor.assumeIsolated { RemoteImageHandlerTests.complaints += 1 }
                    if let message { print(String(cString: message)) }
                }
            },
            nil
        )
        test.image.request = ImageRequest(try pipeline.url(.green))
        await test.waitUntilLoaded()
        configuration.placeholder = .spinner
        test.image.configuration = configuration
        g_log_set_default_handler(earlier, nil)
        XCTAssertEqual(Self.complaints, 0)
        test.window.destroy()
    }

    private static var complaints = 0

    @MainActor
    private final class Log {
        var act: (() -> Void)?
        var successes = 0
        var children: [UnsafeMutableRawPointer] = []
    }
}
