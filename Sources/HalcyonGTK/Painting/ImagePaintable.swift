/// An image without a widget of its own: a paintable that draws whatever it shows at the moment, for anything of GTK that
/// takes a `GdkPaintable`, such as text, the icon of a drag, or several widgets at once.
///
/// ```swift
/// let image = ImagePaintable()
/// image.hc.setImage(with: url)
/// gtk_text_buffer_insert_paintable(buffer, &position, OpaquePointer(image.pointer))
/// ```
///
/// Its loads belong to the `GdkPaintable`, and end with the last reference to that: while a widget has it, they go on,
/// also after the program has released this object. It counts as shown at all times, so that a load begins at once, and
/// asks for the image's own size unless a target size is given. Without a widget there are no frames: transitions are
/// left out, and an animated image shows its first frame.
///
/// Its size is that of the image, in points, and 0 before there is one.
@MainActor
public final class ImagePaintable: ImageDisplaying {
    private let reference: ObjectReference

    /// A paintable that shows nothing yet.
    public init() {
        (_, reference) = SlotPaintable.make()
    }

    /// The `GdkPaintable *`. It lives as long as this object does, and longer where others hold references to it.
    public var pointer: UnsafeMutableRawPointer { reference.pointer }

    /// The `GdkPaintable *`.
    public var displayPointer: UnsafeMutableRawPointer { pointer }
}

extension ImagePaintable: Placeholder {
    /// What is shown at the moment, and from then on.
    public var paintable: Paintable? { Paintable(pointer) }
}
