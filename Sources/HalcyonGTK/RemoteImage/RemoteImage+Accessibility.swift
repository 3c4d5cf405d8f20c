internal import CGTK

extension RemoteImage {
    /// The description of an image to assistive technologies.
    public enum Accessibility: Sendable, Hashable {
        /// An image without a name.
        case unlabeled
        /// An image with a name, in the user's language: what an alternative text says.
        case label(String)
        /// An image that says nothing. Assistive technologies pass over it, though not over the failure child.
        case decorative
    }
}

extension RemoteImageController {
    /// Describes the image to assistive technologies as the configuration says.
    func applyAccessibility() {
        switch configuration.accessibility {
        case .label(let label): cgtk_set_accessible_label(picture.pointer, label)
        case .unlabeled, .decorative: gtk_accessible_reset_property(picture.opaque, GTK_ACCESSIBLE_PROPERTY_LABEL)
        }
        applyDecoration()
    }

    /// Hides a decorative image from assistive technologies.
    func applyDecoration() {
        // Not by its role, which is fixed once the widget is in a window.
        cgtk_set_accessible_hidden(picture.pointer, (configuration.accessibility == .decorative).gboolean)
    }
}
