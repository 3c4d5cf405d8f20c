/// One of the places of a widget that show an image. Each has its own load.
///
/// A call for a slot takes the place of what the widget has there. What the program puts there itself afterwards, if only
/// nothing, stays until the next call.
public struct WidgetSlot: Sendable, Hashable {
    enum Kind: Sendable, Hashable {
        case image
        case checkedImage
        case property(String)
    }

    let kind: Kind

    /// The widget's image: that of a `GtkPicture`, or of a `GtkImage` at its icon size; the child of a `GtkButton`,
    /// `GtkToggleButton`, `GtkCheckButton` or `GtkMenuButton`; the icon of a `GtkWindow`; the image of an
    /// ``ImagePaintable``; and of any other object its property `paintable`, as of an `AdwStatusPage`, or
    /// else its property `custom-image`, as of an `AdwAvatar`.
    ///
    /// A button keeps its label, icon or child until there is an image, a placeholder or another paintable to be shown. An
    /// `AdwAvatar` shows its initials whenever there is nothing to be shown, and is covered by an image of any ratio.
    ///
    /// An icon of a window is decoded at its own size, but at most at 256 pixels a side, unless a target size is given.
    /// Of an ICO the desktop gets all sizes to choose from. Not every desktop shows an icon.
    public static let image = WidgetSlot(kind: .image)

    /// The image of a `GtkToggleButton` while it is active; without one, it shows ``image`` then, too.
    public static let checkedImage = WidgetSlot(kind: .checkedImage)

    /// A property that takes every `GdkPaintable`, such as `primary-icon-paintable` of a `GtkEntry`, or one that takes a
    /// `GdkTexture`: that gets the texture of the image that is shown, without transitions and indicators.
    ///
    /// The property is `NULL` while there is nothing to be drawn, and is set anew with each natural size.
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
