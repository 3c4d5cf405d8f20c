internal import CGTK
internal import HalcyonGTK

/// A `GtkWidget *`. The windows own their widgets: one is used only while its window exists.
typealias Widget = UnsafeMutablePointer<GtkWidget>

// Widgets as this program makes them, in one call each.

/// Returns a label.
///
/// - Parameters:
///   - classes: Names of styles. Default: none.
///   - wraps: Whether long text takes several lines. Default: `false`.
@MainActor
func makeLabel(_ text: String, classes: [String] = [], wraps: Bool = false) -> Widget {
    let label = nonnull(gtk_label_new(text))
    addClasses(classes, to: label)
    if wraps {
        gtk_label_set_wrap(label.opaque, true.gboolean)
        gtk_label_set_wrap_mode(label.opaque, PANGO_WRAP_WORD_CHAR)
        gtk_label_set_justify(label.opaque, GTK_JUSTIFY_CENTER)
    }
    return label
}

/// Returns a button with an icon, named for those who hear it by the same words as its tooltip.
///
/// - Parameter action: The action that it activates. Default: none.
@MainActor
func makeIconButton(_ icon: String, tooltip: String, action: String? = nil, classes: [String] = []) -> Widget {
    let button = nonnull(gtk_button_new_from_icon_name(icon))
    describe(button, tooltip)
    addClasses(classes, to: button)
    if let action { gtk_actionable_set_action_name(button.opaque, action) }
    return button
}

/// Returns a button with text.
@MainActor
func makeTextButton(_ text: String, action: String? = nil, classes: [String] = []) -> Widget {
    let button = nonnull(gtk_button_new_with_mnemonic(text))
    addClasses(classes, to: button)
    if let action { gtk_actionable_set_action_name(button.opaque, action) }
    return button
}

/// Returns a button that stays pressed while the state of its action is true.
@MainActor
func makeToggleButton(_ icon: String, tooltip: String, action: String) -> Widget {
    let button = nonnull(gtk_toggle_button_new())
    gtk_button_set_icon_name(button.cast(), icon)
    describe(button, tooltip)
    gtk_actionable_set_action_name(button.opaque, action)
    return button
}

/// Returns an icon.
@MainActor
func makeIcon(_ name: String, size: Int, classes: [String] = []) -> Widget {
    let icon = nonnull(gtk_image_new_from_icon_name(name))
    gtk_image_set_pixel_size(icon.opaque, Int32(size))
    addClasses(classes, to: icon)
    return icon
}

/// Returns a box with these children.
@MainActor
func makeBox(
    _ orientation: GtkOrientation,
    spacing: Int = 0,
    classes: [String] = [],
    _ children: [Widget]
) -> Widget {
    let box = nonnull(gtk_box_new(orientation, Int32(spacing)))
    addClasses(classes, to: box)
    for child in children { gtk_box_append(box.cast(), child) }
    return box
}

@MainActor
func addClasses(_ classes: [String], to widget: Widget) {
    for name in classes { gtk_widget_add_css_class(widget, name) }
}

/// Gives a widget a tooltip, and the same words as its accessible name.
@MainActor
func describe(_ widget: Widget, _ text: String) {
    gtk_widget_set_tooltip_text(widget, text)
    cgtk_set_accessible_label(widget, text)
}

/// Puts a widget into the middle of its place, in one direction or both.
@MainActor
func center(_ widget: Widget, horizontally: Bool = true, vertically: Bool = true) {
    if horizontally { gtk_widget_set_halign(widget, GTK_ALIGN_CENTER) }
    if vertically { gtk_widget_set_valign(widget, GTK_ALIGN_CENTER) }
}

/// Lets a widget take the room that is left.
@MainActor
func expand(_ widget: Widget, horizontally: Bool = true, vertically: Bool = true) {
    if horizontally { gtk_widget_set_hexpand(widget, true.gboolean) }
    if vertically { gtk_widget_set_vexpand(widget, true.gboolean) }
}

@MainActor
func setVisible(_ widget: Widget, _ isVisible: Bool) {
    gtk_widget_set_visible(widget, isVisible.gboolean)
}

@MainActor
func setMargins(_ widget: Widget, _ margin: Int) {
    gtk_widget_set_margin_start(widget, Int32(margin))
    gtk_widget_set_margin_end(widget, Int32(margin))
    gtk_widget_set_margin_top(widget, Int32(margin))
    gtk_widget_set_margin_bottom(widget, Int32(margin))
}
