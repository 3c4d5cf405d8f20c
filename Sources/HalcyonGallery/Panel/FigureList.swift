internal import CGTK
internal import HalcyonGTK

/// Figures under a title: a name and a value a line.
@MainActor
final class FigureList {
    let widget: Widget
    private let title: Widget
    private let grid: Widget
    private var values: [Widget] = []
    private var names: [String] = []

    init(_ title: String) {
        self.title = makeLabel(title, classes: ["heading"])
        gtk_widget_set_halign(self.title, GTK_ALIGN_START)
        grid = nonnull(gtk_grid_new())
        gtk_grid_set_row_spacing(grid.cast(), 6)
        gtk_grid_set_column_spacing(grid.cast(), 12)
        widget = makeBox(GTK_ORIENTATION_VERTICAL, spacing: 8, [self.title, grid])
    }

    /// Shows other figures. Labels are made anew only where other names are shown.
    func show(_ figures: [Figure]) {
        setVisible(widget, !figures.isEmpty)
        if figures.map(\.name) != names { rebuild(figures) }
        for (label, figure) in zip(values, figures) {
            gtk_label_set_text(label.opaque, figure.value)
            gtk_widget_set_tooltip_text(label, figure.value)
        }
    }

    private func rebuild(_ figures: [Figure]) {
        while let child = gtk_widget_get_first_child(grid) { gtk_grid_remove(grid.cast(), child) }
        names = figures.map(\.name)
        values = figures.enumerated().map { row, figure in
            let name = makeLabel(figure.name, classes: ["dim-label"])
            gtk_widget_set_halign(name, GTK_ALIGN_START)
            gtk_widget_set_valign(name, GTK_ALIGN_START)
            gtk_grid_attach(grid.cast(), name, 0, Int32(row), 1, 1)
            let value = makeLabel("", classes: ["numeric"])
            gtk_label_set_xalign(value.opaque, 1)
            gtk_label_set_justify(value.opaque, GTK_JUSTIFY_RIGHT)
            gtk_label_set_wrap(value.opaque, true.gboolean)
            gtk_label_set_wrap_mode(value.opaque, PANGO_WRAP_WORD_CHAR)
            gtk_label_set_max_width_chars(value.opaque, 20)
            gtk_label_set_lines(value.opaque, 3)
            gtk_label_set_ellipsize(value.opaque, PANGO_ELLIPSIZE_MIDDLE)
            gtk_widget_set_halign(value, GTK_ALIGN_END)
            gtk_widget_set_hexpand(value, true.gboolean)
            cgtk_set_accessible_label(value, figure.name)
            gtk_grid_attach(grid.cast(), value, 1, Int32(row), 1, 1)
            return value
        }
    }
}

/// A name and a value, as they are shown.
struct Figure: Equatable {
    let name: String
    let value: String
}
