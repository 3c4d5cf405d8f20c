internal import CGTK
internal import HalcyonGTK

/// A sentence at the upper edge of the images, which goes by itself.
@MainActor
final class Notice {
    let widget: Widget
    /// The sentence; `nil` while none is shown.
    private(set) var text: String?
    /// The time for which a sentence is shown. Default: 5 s.
    var duration = Duration.seconds(5)
    private let label = makeLabel("", classes: ["osd", "notice"])
    private var end: Task<Void, Never>?

    init() {
        gtk_label_set_ellipsize(label.opaque, PANGO_ELLIPSIZE_MIDDLE)
        widget = nonnull(gtk_revealer_new())
        gtk_revealer_set_transition_type(widget.opaque, GTK_REVEALER_TRANSITION_TYPE_CROSSFADE)
        gtk_revealer_set_child(widget.opaque, label)
        gtk_widget_set_halign(widget, GTK_ALIGN_CENTER)
        gtk_widget_set_valign(widget, GTK_ALIGN_START)
        gtk_widget_set_can_target(widget, false.gboolean)
        cgtk_set_accessible_role(label, GTK_ACCESSIBLE_ROLE_STATUS)
    }

    /// Shows a sentence in place of the one before.
    func show(_ text: String) {
        self.text = text
        gtk_label_set_text(label.opaque, text)
        gtk_revealer_set_reveal_child(widget.opaque, true.gboolean)
        end?.cancel()
        end = Task { [weak self, duration] in
            try? await Task.sleep(for: duration)
            if !Task.isCancelled { self?.hide() }
        }
    }

    /// Ends with the window.
    func cancel() {
        end?.cancel()
        end = nil
    }

    private func hide() {
        text = nil
        gtk_revealer_set_reveal_child(widget.opaque, false.gboolean)
    }
}
