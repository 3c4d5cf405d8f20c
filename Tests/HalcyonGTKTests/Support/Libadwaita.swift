import CGTK
import Glibc
import XCTest

/// Widgets of libadwaita, which the tests are not linked with: version 1.2 on Debian 12, and 1.7 on Debian 13.
@MainActor
struct Libadwaita {
    typealias Widget = UnsafeMutablePointer<GtkWidget>

    private let library: UnsafeMutableRawPointer

    /// Skips the test where it is not installed, or there is no display.
    init() throws {
        try TestWindow.requireDisplay()
        guard let library = dlopen("libadwaita-1.so.0", RTLD_NOW) else { throw XCTSkip("libadwaita is not installed") }
        self.library = library
    }

    /// An `AdwAvatar`.
    func avatar(_ size: CInt, _ text: String) throws -> Widget {
        typealias New = @convention(c) (CInt, UnsafePointer<CChar>?, gboolean) -> Widget?
        return try XCTUnwrap(function("adw_avatar_new", as: New.self)(size, text, 1))
    }

    /// An `AdwCarousel` of pages.
    func carousel(_ pages: [Widget]) throws -> Widget {
        typealias New = @convention(c) () -> Widget?
        typealias Append = @convention(c) (OpaquePointer, Widget) -> Void
        let carousel = try XCTUnwrap(function("adw_carousel_new", as: New.self)())
        let append = try function("adw_carousel_append", as: Append.self)
        for page in pages { append(OpaquePointer(carousel), page) }
        return carousel
    }

    /// Shows another page of an `AdwCarousel`, without an animation.
    func scroll(_ carousel: Widget, to page: Widget) throws {
        typealias Scroll = @convention(c) (OpaquePointer, Widget, gboolean) -> Void
        try function("adw_carousel_scroll_to", as: Scroll.self)(OpaquePointer(carousel), page, 0)
    }

    private func function<Function>(_ name: String, as type: Function.Type) throws -> Function {
        // The types are those of libadwaita's headers.
        unsafeBitCast(try XCTUnwrap(dlsym(library, name), name), to: type)
    }
}
