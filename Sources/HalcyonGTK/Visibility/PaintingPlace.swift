internal import CGTK
internal import Halcyon

/// The place in which a widget draws what a slot shows, in points, and its rule for another ratio of sides.
@MainActor
struct PaintingPlace {
    enum Fit {
        /// The sides of the place, whatever the ratio.
        case fill
        /// As large as it fits into the place.
        case contain
        /// As small as it covers the place.
        case cover
        /// As `contain`, but not larger than it is by itself.
        case scaleDown
        /// The widget's own secret.
        case unknown

        /// The rule by which enough pixels are there, and not far too many.
        var targetMode: TargetSize.Mode {
            switch self {
            case .contain, .scaleDown: .fit
            case .fill, .cover, .unknown: .fill
            }
        }
    }

    let width: Double
    let height: Double
    let fit: Fit
    /// The sides of a widget that shows nothing, where nothing else decides them.
    private let emptySide: Double
    /// A Boolean value that indicates whether what it shows may give it its size.
    private let takesSize: Bool
    private let widget: UnsafeMutableRawPointer

    init(_ widget: UnsafeMutableRawPointer) {
        self.widget = widget
        width = Double(gtk_widget_get_width(widget.widget))
        height = Double(gtk_widget_get_height(widget.widget))
        if widget.isInstance(of: gtk_picture_get_type()) {
            (emptySide, takesSize) = (Self.emptyPictureSide, true)
            fit =
                switch gtk_picture_get_content_fit(widget.opaque) {
                case GTK_CONTENT_FIT_FILL: .fill
                case GTK_CONTENT_FIT_COVER: .cover
                case GTK_CONTENT_FIT_SCALE_DOWN: .scaleDown
                default: .contain
                }
        } else {
            (emptySide, takesSize) = (1, false)
            fit = widget.isInstance(of: gtk_image_get_type()) ? .contain : .unknown
        }
    }

    /// The natural sides of a `GtkPicture` without anything that has a size, which are those that GTK gives it.
    private static let emptyPictureSide: Double = {
        let empty = gdk_paintable_new_empty(0, 0)
        let picture = ObjectReference(adopting: g_object_ref_sink(nonnull(gtk_picture_new_for_paintable(empty)).raw))
        g_object_unref(UnsafeMutableRawPointer(nonnull(empty)))
        var natural: Int32 = 0
        gtk_widget_measure(picture.pointer.widget, GTK_ORIENTATION_HORIZONTAL, -1, nil, &natural, nil, nil)
        return Double(natural)
    }()

    /// Returns the number of pixels that the place has for an image; `nil` if it takes both sides from what it shows.
    ///
    /// - Parameters:
    ///   - shown: What it shows now.
    ///   - isProvisional: Whether that stands in the place of an image, so that it counts as nothing.
    ///   - earlier: The window around it at an earlier time, since which there was no image.
    func demand(scale: Double, shown: Paintable?, isProvisional: Bool, after earlier: FittingWindow?) -> SizeDemand? {
        let isEmpty = (shown?.width ?? 0) <= 0 || (shown?.height ?? 0) <= 0
        let window = isEmpty || isProvisional ? fittingWindow(after: earlier) : nil
        // What a scale such as 1.1 adds to a whole number is no further pixel.
        func pixels(_ side: Double, _ fitsWindow: Bool, _ extent: @autoclosure () -> Extent) -> Int {
            let mayBeEmpty = isEmpty && side <= emptySide
            let isOpen = side <= 1 || (mayBeEmpty || fitsWindow) && !extent().isGiven
            return isOpen ? 0 : Int((side * scale - 1e-6).rounded(.up))
        }
        let demand = SizeDemand(
            width: pixels(width, window?.fitsWidth == true, horizontal),
            height: pixels(height, window?.fitsHeight == true, vertical),
            mode: fit.targetMode,
            scale: scale
        )
        return demand.width == 0 && demand.height == 0 ? nil : demand
    }

    /// Returns the window around a widget that shows nothing, or what stands in the place of an image, where the sides of both
    /// are not given: the image decides them. `nil` where something else does.
    ///
    /// - Parameter earlier: The same at an earlier time, since which there was no image.
    func fittingWindow(after earlier: FittingWindow?) -> FittingWindow? {
        guard
            width <= emptySide && !horizontal.isGiven || height <= emptySide && !vertical.isGiven || earlier != nil
                || hasSizeOfContent
                || !isScrolled && FittingWindow.isEmpty(around: widget)
        else { return nil }
        return FittingWindow(around: widget, after: earlier)
    }

    /// A Boolean value that indicates whether a side is that of what is shown, and may be one of the window's, which is
    /// measured then: in what scrolls it is not.
    private var hasSizeOfContent: Bool {
        takesSize && !isScrolled && (horizontal.isNatural || vertical.isNatural)
    }

    private var isScrolled: Bool { gtk_widget_get_ancestor(widget.widget, gtk_scrolled_window_get_type()) != nil }

    /// The lengths of a side of a widget that what it shows may give its size.
    private struct Extent {
        var side: Int32 = 0
        var least: Int32 = 0
        var natural: Int32 = 0

        /// A Boolean value that indicates whether the side is no longer than what is shown asks for.
        var isNatural: Bool { natural > least && side <= natural }
        /// A Boolean value that indicates whether the program asks for a side that is longer than that.
        var isGiven: Bool { least > 0 && natural <= least }
    }

    private var horizontal: Extent { extent(GTK_ORIENTATION_HORIZONTAL, Int32(width), -1) }
    private var vertical: Extent { extent(GTK_ORIENTATION_VERTICAL, Int32(height), width > 0 ? Int32(width) : -1) }

    private func extent(_ orientation: GtkOrientation, _ side: Int32, _ other: Int32) -> Extent {
        guard takesSize else { return Extent() }
        var extent = Extent(side: side)
        gtk_widget_measure(widget.widget, orientation, other, &extent.least, &extent.natural, nil, nil)
        // Of a picture that cannot shrink, the least side is that of its content, too.
        if gtk_picture_get_can_shrink(widget.opaque) == 0 {
            var (width, height): (Int32, Int32) = (0, 0)
            gtk_widget_get_size_request(widget.widget, &width, &height)
            extent.least = orientation == GTK_ORIENTATION_HORIZONTAL ? width : height
        }
        return extent
    }

    /// Returns the size at which a paintable is drawn, in the middle of the place.
    func size(of paintable: Paintable) -> (width: Double, height: Double) {
        guard paintable.width > 0, paintable.height > 0, width > 0, height > 0 else { return (width, height) }
        let (across, down) = (width / paintable.width, height / paintable.height)
        let factor: Double
        switch fit {
        case .fill, .unknown: return (width, height)
        case .contain: factor = min(across, down)
        case .cover: factor = max(across, down)
        case .scaleDown: factor = min(across, down, 1)
        }
        return (paintable.width * factor, paintable.height * factor)
    }
}
