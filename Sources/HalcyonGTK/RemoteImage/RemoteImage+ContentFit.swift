internal import CGTK

extension RemoteImage {
    /// The way in which an image fills a widget.
    public enum ContentFit: Sendable, Hashable, CaseIterable {
        /// The image is stretched to the size of the widget.
        case fill
        /// The image is as large as it fits into the widget, with its own ratio of sides.
        case contain
        /// The image covers the widget, with its own ratio of sides; the rest is cut off.
        case cover
        /// As ``contain``, but no larger than the image's own size.
        case scaleDown

        init(_ gtk: GtkContentFit) {
            self = Self.allCases.first { $0.gtk == gtk } ?? .contain
        }

        var gtk: GtkContentFit {
            switch self {
            case .fill: GTK_CONTENT_FIT_FILL
            case .contain: GTK_CONTENT_FIT_CONTAIN
            case .cover: GTK_CONTENT_FIT_COVER
            case .scaleDown: GTK_CONTENT_FIT_SCALE_DOWN
            }
        }

        /// Returns the factors by which an image of a size is drawn larger in a place of another, across and down.
        func factors(_ image: (width: Double, height: Double), in place: (width: Double, height: Double)) -> (
            Double, Double
        ) {
            let across = place.width / image.width
            let down = place.height / image.height
            switch self {
            case .fill: return (across, down)
            case .contain: return (min(across, down), min(across, down))
            case .cover: return (max(across, down), max(across, down))
            case .scaleDown: return (min(1, across, down), min(1, across, down))
            }
        }
    }
}
