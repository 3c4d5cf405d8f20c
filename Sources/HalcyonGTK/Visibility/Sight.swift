internal import CGTK

/// The parts of windows in which widgets can be seen, as they are laid out now. What siblings have in common is looked at
/// once, so that a layout with many of them costs little for each.
@MainActor
final class Sight {
    /// The areas of windows that the widgets and their ancestors show of their children; `nil` for nothing.
    private var areas: [UnsafeMutableRawPointer: graphene_rect_t?] = [:]
    /// The places of widgets in their windows, and what is seen of their children; `nil` for a widget in no window.
    private var places: [UnsafeMutableRawPointer: Place?] = [:]
    /// The number of places in the window that were looked at.
    private(set) var lookCount = 0

    /// What decides whether a child of a widget is seen, beside the child's own place in the widget.
    fileprivate struct Place: Equatable {
        let bounds: graphene_rect_t
        let shown: graphene_rect_t?

        static func == (left: Place, right: Place) -> Bool {
            guard left.bounds.isEqual(to: right.bounds) else { return false }
            guard let one = left.shown, let other = right.shown else { return left.shown == nil && right.shown == nil }
            return one.isEqual(to: other)
        }
    }

    /// What decides whether a widget is seen.
    struct Surroundings: Equatable {
        fileprivate let parent: UnsafeMutableRawPointer
        fileprivate let place: Place
        /// The place of the widget in its parent.
        fileprivate let bounds: graphene_rect_t

        static func == (left: Surroundings, right: Surroundings) -> Bool {
            left.parent == right.parent && left.bounds.isEqual(to: right.bounds) && left.place == right.place
        }
    }

    /// Returns what decides whether a mapped widget is seen: while it is the same, ``includes(_:)`` is, too. `nil` where that
    /// is not all, as for a widget without an area of its own.
    ///
    /// - Complexity: O(1); O(n) in the number of ancestors for the first of siblings.
    func surroundings(of widget: UnsafeMutableRawPointer) -> Surroundings? {
        guard let parent = gtk_widget_get_parent(widget.widget).map({ UnsafeMutableRawPointer($0) }),
            let place = place(of: parent)
        else { return nil }
        var bounds = graphene_rect_t()
        guard gtk_widget_compute_bounds(widget.widget, parent.widget, &bounds) != 0, !bounds.isEmpty else { return nil }
        return Surroundings(parent: parent, place: place, bounds: bounds)
    }

    private func place(of parent: UnsafeMutableRawPointer) -> Place? {
        if let known = places[parent] { return known }
        var place: Place?
        if let native = gtk_widget_get_native(parent.widget).map({ UnsafeMutableRawPointer($0) }),
            let bounds = bounds(of: parent, in: native)
        {
            place = Place(bounds: bounds, shown: area(shownBy: parent, in: native))
        }
        places[parent] = .some(place)
        return place
    }

    /// Returns whether a part of a mapped widget lies in what its ancestors show of it: a child of a viewport that is
    /// scrolled away is mapped, and so is the page of a carousel that is not the present one.
    ///
    /// A direction in which the widget has no length yet, as an image without content, is that of its parent. What other
    /// widgets cover, and other windows, is not looked at.
    ///
    /// - Complexity: Amortised O(1) for siblings; O(n) in the number of ancestors for the first.
    func includes(_ widget: UnsafeMutableRawPointer) -> Bool {
        // A popover is a child of a widget of its window, and lies outside it.
        guard let native = gtk_widget_get_native(widget.widget) else { return false }
        let surface = UnsafeMutableRawPointer(native)
        guard var area = bounds(of: widget, in: surface) else { return false }
        var ancestor = widget
        while area.isEmpty, ancestor != surface, let parent = gtk_widget_get_parent(ancestor.widget) {
            ancestor = UnsafeMutableRawPointer(parent)
            guard let place = bounds(of: ancestor, in: surface) else { return false }
            area = area.filled(from: place)
            // An ancestor of a widget without an area may get its own from it.
            guard ancestor == surface || gtk_widget_get_overflow(parent) == GTK_OVERFLOW_HIDDEN, !place.isEmpty else {
                continue
            }
            guard let shared = area.intersection(place) else { return false }
            area = shared
        }
        guard ancestor != surface, let parent = gtk_widget_get_parent(ancestor.widget) else { return true }
        return self.area(shownBy: UnsafeMutableRawPointer(parent), in: surface)?.intersection(area) != nil
    }

    /// The least way that the content of a viewport has to move before a widget in it may come into sight.
    struct Distance {
        /// The content: the child of the viewport.
        let content: UnsafeMutableRawPointer
        /// In points.
        let length: Double
    }

    /// The place of the content of a viewport.
    struct ScrolledPlace {
        fileprivate let bounds: graphene_rect_t
        /// What is seen of the viewport; `nil` for nothing. Both are in its coordinates.
        fileprivate let shown: graphene_rect_t?

        /// Returns how far the content, and what is seen of it, have moved in all; `nil` for another size, in which widgets may
        /// lie at other places.
        func way(to other: ScrolledPlace) -> Double? {
            guard bounds.size.width == other.bounds.size.width, bounds.size.height == other.bounds.size.height else {
                return nil
            }
            let (old, new) = (bounds.origin, other.bounds.origin)
            let way = Double(abs(old.x - new.x) + abs(old.y - new.y))
            switch (shown, other.shown) {
            case (nil, nil): return way
            case (let shown?, let other?): return way + shown.way(to: other)
            default: return nil
            }
        }
    }

    /// The containers that place their children when they are laid out, and do not move them otherwise as a carousel does.
    private static let stillTypes = [
        gtk_box_get_type(), gtk_grid_get_type(), gtk_flow_box_get_type(), gtk_flow_box_child_get_type(),
        gtk_list_box_get_type(), gtk_list_box_row_get_type(), gtk_overlay_get_type(), gtk_center_box_get_type(),
        gtk_frame_get_type(), gtk_aspect_frame_get_type(), gtk_button_get_type(),
    ]

    /// Returns how far a mapped widget that is out of sight is from it. `nil` where nothing is known of that: in no viewport,
    /// or in a container that may move it within the content.
    func distance(of widget: UnsafeMutableRawPointer) -> Distance? {
        guard let native = gtk_widget_get_native(widget.widget).map({ UnsafeMutableRawPointer($0) }) else { return nil }
        var (content, area) = (widget, bounds(of: widget, in: native))
        while let parent = gtk_widget_get_parent(content.widget).map({ UnsafeMutableRawPointer($0) }) {
            if parent.isInstance(of: gtk_viewport_get_type()) {
                guard let area, !area.isEmpty else { return nil }
                let gap = self.area(shownBy: parent, in: native).map { area.gap(to: $0) }
                return Distance(content: content, length: gap ?? .infinity)
            }
            guard Self.stillTypes.contains(where: { parent.isInstance(of: $0) }) else { return nil }
            if let known = area, known.isEmpty { area = bounds(of: parent, in: native).map { known.filled(from: $0) } }
            content = parent
        }
        return nil
    }

    /// Returns the place of the content of a viewport.
    func scrolledPlace(of content: UnsafeMutableRawPointer) -> ScrolledPlace? {
        guard let viewport = gtk_widget_get_parent(content.widget).map({ UnsafeMutableRawPointer($0) }),
            let native = gtk_widget_get_native(viewport.widget).map({ UnsafeMutableRawPointer($0) }),
            let place = place(of: viewport)
        else { return nil }
        lookCount += 1
        var bounds = graphene_rect_t()
        guard gtk_widget_compute_bounds(content.widget, viewport.widget, &bounds) != 0 else { return nil }
        var shown = area(shownBy: viewport, in: native)
        shown?.origin.x -= place.bounds.origin.x
        shown?.origin.y -= place.bounds.origin.y
        return ScrolledPlace(bounds: bounds, shown: shown)
    }

    /// Returns what a widget and its ancestors show of its children; `nil` for nothing.
    private func area(shownBy widget: UnsafeMutableRawPointer, in surface: UnsafeMutableRawPointer) -> graphene_rect_t?
    {
        if let known = areas[widget] { return known }
        var shown: graphene_rect_t?
        if widget == surface {
            shown = bounds(of: widget, in: surface)
        } else if let parent = gtk_widget_get_parent(widget.widget) {
            shown = area(shownBy: UnsafeMutableRawPointer(parent), in: surface)
            if gtk_widget_get_overflow(widget.widget) == GTK_OVERFLOW_HIDDEN, let outer = shown {
                shown = bounds(of: widget, in: surface)?.intersection(outer)
            }
        }
        areas[widget] = .some(shown)
        return shown
    }

    private func bounds(
        of widget: UnsafeMutableRawPointer,
        in surface: UnsafeMutableRawPointer
    ) -> graphene_rect_t? {
        lookCount += 1
        var bounds = graphene_rect_t()
        return gtk_widget_compute_bounds(widget.widget, surface.widget, &bounds) != 0 ? bounds : nil
    }
}

extension graphene_rect_t {
    fileprivate var isEmpty: Bool { size.width <= 0 || size.height <= 0 }

    fileprivate func isEqual(to other: graphene_rect_t) -> Bool {
        origin.x == other.origin.x && origin.y == other.origin.y && size.width == other.size.width
            && size.height == other.size.height
    }

    /// Returns the longer of the gaps to another rectangle, across and down; 0 where the two meet.
    fileprivate func gap(to other: graphene_rect_t) -> Double {
        let across = max(other.origin.x - origin.x - size.width, origin.x - other.origin.x - other.size.width)
        let down = max(other.origin.y - origin.y - size.height, origin.y - other.origin.y - other.size.height)
        return Double(max(across, down, 0))
    }

    /// Returns how far the sides of another rectangle lie from those of this one, in all.
    fileprivate func way(to other: graphene_rect_t) -> Double {
        let near = abs(origin.x - other.origin.x) + abs(origin.y - other.origin.y)
        let far =
            abs(origin.x + size.width - other.origin.x - other.size.width)
            + abs(origin.y + size.height - other.origin.y - other.size.height)
        return Double(near + far)
    }

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
