#if GTK
internal import CGTK

/// The part of its window in which a widget can be seen.
@MainActor
enum Sight {
    /// Returns whether a part of a mapped widget lies in what its ancestors show of it: a child of a viewport that is
    /// scrolled away is mapped, and so is the page of a carousel that is not the present one.
    ///
    /// A direction in which the widget has no length yet, as an image without content, is that of its parent. What other
    /// widgets cover, and other windows, is not looked at.
    ///
    /// - Complexity: O(n) in the number of ancestors.
    static func includes(_ widget: UnsafeMutableRawPointer) -> Bool {
        // A popover is a child of a widget of its window, and lies outside it.
        guard let native = gtk_widget_get_native(widget.widget) else { return false }
        let surface = UnsafeMutableRawPointer(native)
        guard var area = bounds(of: widget, in: surface) else { return false }
        var ancestor = widget
        while ancestor != surface, let parent = gtk_widget_get_parent(ancestor.widget) {
            ancestor = UnsafeMutableRawPointer(parent)
            let isEmpty = area.size.width <= 0 || area.size.height <= 0
            let clips = ancestor == surface || gtk_widget_get_overflow(parent) == GTK_OVERFLOW_HIDDEN
            guard isEmpty || clips else { continue }
            guard let place = bounds(of: ancestor, in: surface) else { return false }
            if isEmpty { area = area.filled(from: place) }
            // An ancestor of a widget without an area may get its own from it.
            guard clips, !isEmpty || place.size.width > 0 && place.size.height > 0 else { continue }
            guard let shared = area.intersection(place) else { return false }
            area = shared
        }
        return true
    }

    private static func bounds(
        of widget: UnsafeMutableRawPointer,
        in surface: UnsafeMutableRawPointer
    ) -> graphene_rect_t? {
        var bounds = graphene_rect_t()
        return gtk_widget_compute_bounds(widget.widget, surface.widget, &bounds) != 0 ? bounds : nil
    }
}

extension graphene_rect_t {
    /// Returns the rectangle with the other's extent in each direction in which it has no length.
    fileprivate func filled(from other: graphene_rect_t) -> graphene_rect_t {
        var filled = self
        if size.width <= 0 { (filled.origin.x, filled.size.width) = (other.origin.x, other.size.width) }
        if size.height <= 0 { (filled.origin.y, filled.size.height) = (other.origin.y, other.size.height) }
        return filled
    }

    /// The area that both have in common; `nil` if there is none.
    fileprivate func intersection(_ other: graphene_rect_t) -> graphene_rect_t? {
        var (common, left, right) = (graphene_rect_t(), self, other)
        let overlaps = graphene_rect_intersection(&left, &right, &common)
        return overlaps && common.size.width > 0 && common.size.height > 0 ? common : nil
    }
}
#endif
