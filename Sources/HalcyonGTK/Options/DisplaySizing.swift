#if GTK
/// The size at which an image is decoded for a widget.
public enum DisplaySizing: Sendable, Hashable, CaseIterable {
    /// That of the widget, in pixels of the screen, but no larger than the image's own. When the widget grows, the
    /// image is loaded again at its new size, and what is shown stays until then.
    ///
    /// A load begins once the widget has a size. A widget that takes its size from the image has none in a direction;
    /// that direction then counts for nothing. An icon of a window has a size of its own, see ``WidgetSlot/image``.
    case widget
    /// The image's own.
    case image
}
#endif
