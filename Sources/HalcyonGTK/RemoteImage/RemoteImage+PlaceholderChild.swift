internal import CGTK
public import Halcyon

extension RemoteImage {
    /// What a remote image shows until its image is there. Children of the program's own are equal to their copies
    /// alone.
    public struct PlaceholderChild: Sendable, Hashable {
        enum Kind: Sendable, Hashable {
            case none
            case spinner
            case progressBar
            case icon(String)
            case image(IndicatorImage)
            case widget(CustomPlaceholder)
        }

        let kind: Kind

        /// Nothing: the widget is empty.
        public static let none = PlaceholderChild(kind: .none)

        /// A spinner in the middle, while the image is loaded. It stands still out of sight.
        public static let spinner = PlaceholderChild(kind: .spinner)

        /// A bar in the middle that fills as bytes arrive, while the image is loaded.
        public static let progressBar = PlaceholderChild(kind: .progressBar)

        /// A symbolic icon in the middle, which stays if the load fails and there is no failure child.
        ///
        /// - Parameter name: The name in the icon theme, such as `image-x-generic-symbolic`.
        public static func icon(_ name: String) -> PlaceholderChild { PlaceholderChild(kind: .icon(name)) }

        /// An image in the place of the one that is loaded, and of its fit.
        public static func image(_ image: DecodedImage) -> PlaceholderChild {
            PlaceholderChild(kind: .image(IndicatorImage(image)))
        }

        /// A widget of the program's own.
        ///
        /// - Parameters:
        ///   - make: Returns a new `GtkWidget *` without a parent. Called once for each remote image.
        ///   - progress: Called with the widget as bytes arrive. Default: `nil`.
        public static func widget(
            _ make: @escaping @MainActor () -> UnsafeMutableRawPointer,
            progress: (@MainActor (UnsafeMutableRawPointer, ImageProgress) -> Void)? = nil
        ) -> PlaceholderChild {
            PlaceholderChild(kind: .widget(CustomPlaceholder(make: make, progress: progress)))
        }
    }

    /// A placeholder of the program's own, equal to itself alone.
    final class CustomPlaceholder: Sendable, Hashable {
        let make: @MainActor () -> UnsafeMutableRawPointer
        let progress: (@MainActor (UnsafeMutableRawPointer, ImageProgress) -> Void)?

        init(
            make: @escaping @MainActor () -> UnsafeMutableRawPointer,
            progress: (@MainActor (UnsafeMutableRawPointer, ImageProgress) -> Void)?
        ) {
            self.make = make
            self.progress = progress
        }

        static func == (left: CustomPlaceholder, right: CustomPlaceholder) -> Bool { left === right }

        func hash(into hasher: inout Hasher) {
            hasher.combine(ObjectIdentifier(self))
        }
    }
}

extension RemoteImage.PlaceholderChild {
    /// A Boolean value that indicates whether it tells that a load is under way, and nothing else.
    var isShownOnlyWhileLoading: Bool { kind == .spinner || kind == .progressBar }

    /// Returns a new widget; `nil` if there is none.
    @MainActor
    func makeWidget() -> ObjectReference? {
        switch kind {
        case .none, .image: return nil
        case .spinner:
            // It spins while it is seen; see `RemoteImageController.updateChildren()`.
            return .child(UnsafeMutableRawPointer(nonnull(gtk_spinner_new())), isCentered: true)
        case .progressBar:
            return .child(UnsafeMutableRawPointer(nonnull(gtk_progress_bar_new())), isCentered: true)
        case .icon(let name):
            return .child(UnsafeMutableRawPointer(nonnull(gtk_image_new_from_icon_name(name))), isCentered: true)
        case .widget(let custom):
            return .child(custom.make(), isCentered: false)
        }
    }

    /// Shows progress in a widget that was made.
    @MainActor
    func show(_ progress: ImageProgress, in widget: UnsafeMutableRawPointer) {
        switch kind {
        case .none, .spinner, .icon, .image: break
        case .progressBar: gtk_progress_bar_set_fraction(widget.opaque, progress.fraction ?? 0)
        case .widget(let custom): custom.progress?(widget, progress)
        }
    }
}

extension ObjectReference {
    /// A new widget, whose first reference is not owned yet.
    @MainActor
    static func child(_ widget: UnsafeMutableRawPointer, isCentered: Bool) -> ObjectReference {
        let reference = ObjectReference(adopting: nonnull(g_object_ref_sink(widget)))
        if isCentered {
            gtk_widget_set_halign(widget.widget, GTK_ALIGN_CENTER)
            gtk_widget_set_valign(widget.widget, GTK_ALIGN_CENTER)
        }
        return reference
    }
}
