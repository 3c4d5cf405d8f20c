/// The size at which an image is decoded for a widget.
public enum DisplaySizing: Sendable, Hashable, CaseIterable {
    /// That of the widget, in pixels of the screen, but no larger than the image's own. When the widget has grown and kept
    /// its size for 100 ms, the image is made anew at that size, and what is shown stays until then.
    ///
    /// Views keep the original on disk (``ImageOption/cacheOriginalImage``), so that an image is transferred once, at
    /// however many sizes it is shown. Of the results at such sizes, only those that took more than 5 ms of the processor
    /// are kept there, one for each image. A larger image in memory is drawn smaller until there is one of the size
    /// (``SizePrecision/inexact``), unless there are processors. The options of a call take precedence over all that.
    ///
    /// A load begins once the widget has a size. A widget that takes its size from the image has none in a direction;
    /// that direction then counts for nothing. A window without a size of its own takes that of its first image. An icon of a window has a size of its own, see ``WidgetSlot/image``.
    case widget
    /// The image's own.
    case image
}
