internal import CGTK
internal import Glibc
internal import HalcyonGTK

/// Brings a window into a view, waits until nothing changes any more, writes its pixels, and ends the program.
@MainActor
final class ScreenshotRun {
    /// The part of the program that is shown.
    enum View: String, CaseIterable {
        /// All images.
        case grid
        /// The first image in full.
        case detail
        /// The first image that cannot be shown.
        case failure
        /// A window without images.
        case empty
    }

    /// A Boolean value that indicates whether the file was written.
    private(set) var hasSucceeded = false
    private let path: String
    private let view: View
    private let showsPanel: Bool
    private let application: GalleryApplication
    /// The number of frames in which nothing changed, and the number of all.
    private var quietFrames = 0
    private var frames = 0

    init(_ view: View, showsPanel: Bool, path: String, application: GalleryApplication) {
        self.view = view
        self.showsPanel = showsPanel
        self.path = path
        self.application = application
    }

    /// Begins with a window that is about to be shown.
    func begin(_ window: GalleryWindow) {
        if showsPanel { change("panel", in: window.window, to: true) }
        Task { [weak window] in
            // A few frames without a change, as a load of the one may follow another.
            while let window, !window.isClosed, quietFrames < 5, frames < 3_600 {
                await nextFrame(of: window)
                frames += 1
                if quietFrames == 0 { window.panel.update() }
                quietFrames = isThere(window) && window.isSettled ? quietFrames + 1 : 0
            }
            if let window, !window.isClosed {
                hasSucceeded = quietFrames >= 5 && WindowSnapshot.write(window.window.widget, to: path)
            }
            application.quit()
        }
    }

    /// Goes a step towards the view.
    ///
    /// - Returns: Whether the window shows it.
    private func isThere(_ window: GalleryWindow) -> Bool {
        guard window.reading == nil else { return false }
        switch view {
        case .empty: return true
        case .grid:
            if window.page == .detail { window.back() }
            return window.page == .grid
        case .detail:
            if window.page == .grid { window.open(0) }
            return window.page == .detail
        case .failure:
            if window.page == .grid { window.open(0) }
            guard window.page == .detail, window.detail.isSettled else { return false }
            if !window.detail.hasFailed { window.turn(by: 1) }
            return window.detail.hasFailed
        }
    }

    private func nextFrame(of window: GalleryWindow) async {
        await withCheckedContinuation { continuation in
            guard let clock = gtk_widget_get_frame_clock(window.window.widget) else {
                Task {
                    try? await Task.sleep(for: .milliseconds(5))
                    continuation.resume()
                }
                return
            }
            let next = NextFrame(clock, continuation)
            next.begin()
        }
    }
}

/// Waits for the end of one frame.
@MainActor
private final class NextFrame {
    private let clock: OpaquePointer
    private var continuation: CheckedContinuation<Void, Never>?

    init(_ clock: OpaquePointer, _ continuation: CheckedContinuation<Void, Never>) {
        self.clock = clock
        self.continuation = continuation
    }

    func begin() {
        onSignal(clock, "after-paint") { [self] _ in
            continuation?.resume()
            continuation = nil
        }
        gdk_frame_clock_request_phase(clock, GDK_FRAME_CLOCK_PHASE_PAINT)
    }
}
