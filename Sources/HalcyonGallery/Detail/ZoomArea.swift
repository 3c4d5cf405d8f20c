internal import CGTK
internal import Halcyon
internal import HalcyonGTK

/// Shows a widget at the size that a ``ZoomScale`` says, in the middle of a place that scrolls.
@MainActor
final class ZoomArea {
    /// The place that scrolls.
    let widget: Widget
    /// The widget that is shown.
    let content: Widget
    /// Called when the factor has changed, by a request or with the size of the place.
    var onChange: () -> Void = {}
    /// The scale.
    private(set) var scale = ZoomScale()
    private let canvas: Widget
    private static let attachment = AttachedObject<WeakArea>(name: "gallery-zoom")

    /// Keeps the canvas from owning what owns it.
    private final class WeakArea {
        weak var area: ZoomArea?
    }

    init(_ content: Widget) {
        self.content = content
        widget = nonnull(gtk_scrolled_window_new())
        canvas = nonnull(gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 0))
        let weak = WeakArea()
        Self.attachment.attach(weak, to: canvas.opaque)
        let layout = gtk_custom_layout_new(
            nil,
            { canvas, orientation, _, minimum, natural, minimumBaseline, naturalBaseline in
                let size = ZoomArea.with(canvas) { $0.size(in: orientation) } ?? 0
                minimum?.pointee = size
                natural?.pointee = size
                minimumBaseline?.pointee = -1
                naturalBaseline?.pointee = -1
            },
            { canvas, width, height, _ in
                ZoomArea.with(canvas) { $0.allocate(width: Int(width), height: Int(height)) }
            }
        )
        gtk_widget_set_layout_manager(canvas, layout)
        gtk_box_append(canvas.cast(), content)
        gtk_scrolled_window_set_child(widget.opaque, canvas)
        expand(widget)
        weak.area = self
    }

    /// Shows another image, as large as fits.
    ///
    /// - Parameter size: Its size in pixels; `nil`: it takes the whole place.
    func show(_ size: PixelSize?) {
        change { scale in
            scale.imageSize = size
            scale.mode = .fit
        }
    }

    /// Says the size of the image that is shown.
    func setImageSize(_ size: PixelSize) {
        change { $0.imageSize = size }
    }

    func fit() { change { $0.mode = .fit } }

    func showOwnSize() {
        guard scale.imageSize != nil else { return }
        change { $0.mode = .factor(1) }
    }

    /// Enlarges or reduces by a factor, and leaves a point of the image where it is.
    ///
    /// - Parameter point: In points of the place. Default: its middle.
    func zoom(by factor: Double, at point: (x: Double, y: Double)? = nil) {
        change(at: point) { $0.zoom(by: factor) }
    }

    func toggle(at point: (x: Double, y: Double)? = nil) {
        change(at: point) { $0.toggle() }
    }

    /// Moves what is seen.
    func scroll(toX x: Double, y: Double) {
        gtk_adjustment_set_value(gtk_scrolled_window_get_hadjustment(widget.opaque), x)
        gtk_adjustment_set_value(gtk_scrolled_window_get_vadjustment(widget.opaque), y)
    }

    /// The point of the canvas that is seen first.
    var scrollPosition: (x: Double, y: Double) {
        (
            gtk_adjustment_get_value(gtk_scrolled_window_get_hadjustment(widget.opaque)),
            gtk_adjustment_get_value(gtk_scrolled_window_get_vadjustment(widget.opaque))
        )
    }

    private func change(at point: (x: Double, y: Double)? = nil, _ body: (inout ZoomScale) -> Void) {
        let before = scale
        body(&scale)
        guard scale != before else { return }
        let point = point ?? (Double(scale.area.width) / 2, Double(scale.area.height) / 2)
        let (old, new) = (before.shownSize, scale.shownSize)
        keep(point.x, from: old.width, to: new.width, gtk_scrolled_window_get_hadjustment(widget.opaque))
        keep(point.y, from: old.height, to: new.height, gtk_scrolled_window_get_vadjustment(widget.opaque))
        gtk_widget_queue_resize(canvas)
        onChange()
    }

    /// Scrolls so that what was under a point is there again, once the image has its new size.
    private func keep(
        _ point: Double,
        from old: Int,
        to new: Int,
        _ adjustment: UnsafeMutablePointer<GtkAdjustment>?
    ) {
        let page = gtk_adjustment_get_page_size(adjustment)
        let oldMargin = max(0, page - Double(old)) / 2
        let newMargin = max(0, page - Double(new)) / 2
        let part = (gtk_adjustment_get_value(adjustment) + point - oldMargin) / Double(max(1, old))
        let value = part * Double(new) + newMargin - point
        // The place itself sets the same range with its next layout.
        gtk_adjustment_configure(
            adjustment,
            max(0, value),
            0,
            max(page, Double(new)),
            gtk_adjustment_get_step_increment(adjustment),
            gtk_adjustment_get_page_increment(adjustment),
            page
        )
    }

    private func size(in orientation: GtkOrientation) -> gint {
        guard scale.mode != .fit else { return 0 }
        return gint(orientation == GTK_ORIENTATION_HORIZONTAL ? scale.shownSize.width : scale.shownSize.height)
    }

    private func allocate(width: Int, height: Int) {
        // What is seen of the canvas, which is larger where the image is.
        let before = scale.factor
        scale.area = (
            min(width, max(1, Int(gtk_widget_get_width(widget)))),
            min(height, max(1, Int(gtk_widget_get_height(widget))))
        )
        let size = scale.shownSize
        var unused: gint = 0
        for orientation in [GTK_ORIENTATION_HORIZONTAL, GTK_ORIENTATION_VERTICAL] {
            gtk_widget_measure(content, orientation, -1, &unused, nil, nil, nil)
        }
        var place = GtkAllocation(
            x: gint(max(0, (width - size.width) / 2)),
            y: gint(max(0, (height - size.height) / 2)),
            width: gint(size.width),
            height: gint(size.height)
        )
        gtk_widget_size_allocate(content, &place, -1)
        // Nothing may change while sizes are given out.
        if scale.factor != before { Task { [weak self] in self?.onChange() } }
    }

    @discardableResult
    private nonisolated static func with<Result: Sendable>(
        _ canvas: Widget?,
        _ body: @MainActor (ZoomArea) -> Result
    ) -> Result? {
        // GTK lays out on the main thread alone.
        nonisolated(unsafe) let canvas = nonnull(canvas).opaque
        return MainActor.assumeIsolated { attachment.value(of: canvas)?.area.map(body) }
    }
}
