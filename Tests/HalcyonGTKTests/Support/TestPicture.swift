import CGTK
import Halcyon
import XCTest

@testable import HalcyonGTK

/// A `GtkPicture` of 100 × 100 points in a window that is shown.
@MainActor
final class TestPicture {
    let window: TestWindow
    let widget: UnsafeMutablePointer<GtkWidget>
    let display: ImageDisplay
    let frames: PaintedFrames
    private var isDestroyed = false

    init() async throws {
        try TestWindow.requireDisplay()
        widget = try XCTUnwrap(gtk_picture_new())
        display = ImageDisplay(widget)
        gtk_widget_set_size_request(widget, 100, 100)
        window = try TestWindow(width: 100, height: 100, child: widget)
        await window.present()
        frames = try PaintedFrames(widget)
    }

    /// The colour in the middle after the next frame.
    func color(file: StaticString = #filePath, line: UInt = #line) async -> TestColor? {
        await frames.next(file: file, line: line)?.middle
    }

    /// Shows the widget, or hides it.
    func setVisible(_ isVisible: Bool) {
        gtk_widget_set_visible(widget, isVisible ? 1 : 0)
    }

    func destroy() {
        guard !isDestroyed else { return }
        isDestroyed = true
        frames.stop()
        window.destroy()
    }
}

/// Keeps what a completion handler is called with.
@MainActor
final class Completions {
    private(set) var results: [Result<ImageResponse, any Error>] = []
    /// Called after the result is kept.
    var onCall: () -> Void = {}

    /// The handler.
    var handler: ImageDisplay.Completion {
        { result in
            self.results.append(result)
            self.onCall()
        }
    }

    var count: Int { results.count }

    /// What the only call was, in a word.
    var outcome: String { results.count == 1 ? Self.outcome(results[0]) : "\(results.count) calls" }

    private static func outcome(_ result: Result<ImageResponse, any Error>) -> String {
        switch result {
        case .success: "success"
        case .failure(is CancellationError): "cancelled"
        case .failure(DisplayError.superseded(nil)): "superseded"
        case .failure(DisplayError.superseded(.success?)): "superseded with its image"
        case .failure(DisplayError.superseded(.failure?)): "superseded with its error"
        case .failure(DisplayError.emptySource): "no source"
        case .failure(DisplayError.unsupported): "unsupported"
        case .failure: "failure"
        }
    }

    /// Waits for the first call.
    func wait(file: StaticString = #filePath, line: UInt = #line) async {
        await MainLoop.run(file: file, line: line) { !self.results.isEmpty }
    }
}

extension MainLoop {
    /// Turns the loop until everything that is under way in it has had its turn many times over: for what must not
    /// happen.
    static func settle() async {
        for _ in 0..<20 { await turn() }
    }
}
