internal import CGTK
internal import Halcyon
internal import HalcyonGTK

/// Says why an image cannot be shown, and offers to try again.
@MainActor
final class FailureView {
    let widget: Widget
    /// Called when the person asks for another attempt.
    var onRetry: () -> Void = {}
    /// A Boolean value that indicates whether there is a failure.
    private(set) var isShown = false
    private let message: Widget

    init() {
        message = makeLabel("", classes: ["dim-label"], wraps: true)
        gtk_label_set_max_width_chars(message.opaque, 60)
        gtk_label_set_selectable(message.opaque, true.gboolean)
        gtk_widget_set_focusable(message, false.gboolean)
        let retry = makeTextButton("_Try Again", classes: ["pill", "suggested-action"])
        center(retry)
        widget = makeBox(
            GTK_ORIENTATION_VERTICAL,
            spacing: 12,
            classes: ["status-page"],
            [
                makeIcon("image-missing-symbolic", size: 96, classes: ["dim-label"]),
                makeLabel("This Image Cannot Be Shown", classes: ["title-1"], wraps: true), message, retry,
            ]
        )
        center(widget)
        onSignal(retry, "clicked") { [weak self] _ in self?.onRetry() }
    }

    func show(_ error: any Error) {
        isShown = true
        gtk_label_set_text(message.opaque, Self.text(for: error))
    }

    func hide() { isShown = false }

    /// Returns the reason in a sentence.
    static func text(for error: any Error) -> String {
        let text = (error as? ImageError)?.message ?? "\(error)"
        return text.prefix(1).uppercased() + text.dropFirst()
    }
}
