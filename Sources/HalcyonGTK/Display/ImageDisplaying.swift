/// An object of GTK that shows an image: a picture, an image, a button, a window, or anything else with a property that
/// takes a paintable.
///
/// A program adopts it for the classes of its binding of GTK, in one line each, and needs no other part of that:
///
/// ```swift
/// extension Gtk.Picture: @retroactive ImageDisplaying { public var displayPointer: UnsafeMutableRawPointer { pointer } }
///
/// picture.hc.setImage(with: url)
/// ```
///
/// For pointers of C, ``ImageDisplay`` is made of them directly: `ImageDisplay(pointer).setImage(with: url)`.
@MainActor
public protocol ImageDisplaying {
    /// The object: a `GtkWidget *`, or another `GObject *`.
    var displayPointer: UnsafeMutableRawPointer { get }
}

extension ImageDisplaying {
    /// What Halcyon does for the object.
    public var hc: ImageDisplay { ImageDisplay(displayPointer) }
}
