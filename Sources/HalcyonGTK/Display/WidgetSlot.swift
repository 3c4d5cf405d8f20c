#if GTK
/// One of the places of a widget that show an image. Each has its own load.
public struct WidgetSlot: Sendable, Hashable {
    enum Kind: Sendable, Hashable {
        case image
        case checkedImage
        case property(String)
    }

    let kind: Kind

    /// The widget's image: that of a `GtkPicture` or a `GtkImage`, the child of a `GtkButton`, `GtkToggleButton`,
    /// `GtkCheckButton` or `GtkMenuButton`, the icon of a `GtkWindow`, and of any other object its property
    /// `paintable`.
    public static let image = WidgetSlot(kind: .image)

    /// The image of a `GtkToggleButton` while it is active; without one, it shows ``image`` then, too.
    public static let checkedImage = WidgetSlot(kind: .checkedImage)

    /// A property that takes a `GdkPaintable`, or an object of a type that is one: `custom-image` of an `AdwAvatar`.
    public static func property(_ name: String) -> WidgetSlot { WidgetSlot(kind: .property(name)) }
}

extension WidgetSlot: CustomStringConvertible {
    /// The name.
    public var description: String {
        switch kind {
        case .image: "image"
        case .checkedImage: "checked image"
        case .property(let name): name
        }
    }
}
#endif
