#if GTK
internal import CGTK

/// A picture as the child of a button.
@MainActor
final class ChildConnection: SlotConnection {
    private let button: ButtonChild
    private let picture: ObjectReference

    init(_ button: ButtonChild, _ paintable: ObjectReference) {
        self.button = button
        picture = Self.makePicture(paintable)
    }

    /// The picture itself has no size before it is laid out, and then that of the button's content.
    var displayWidget: UnsafeMutableRawPointer? { button.object }

    func install() { button.set(picture.pointer) }

    func uninstall() {
        if button.current == picture.pointer { button.set(nil) }
    }

    /// Returns a new picture, which may become as small as its place is.
    static func makePicture(_ paintable: ObjectReference? = nil) -> ObjectReference {
        let picture = nonnull(gtk_picture_new_for_paintable(paintable?.opaque))
        gtk_picture_set_can_shrink(OpaquePointer(picture), true.gboolean)
        return ObjectReference(adopting: g_object_ref_sink(UnsafeMutableRawPointer(picture)))
    }
}

/// The child of a widget that has one, of the three kinds of buttons.
@MainActor
struct ButtonChild {
    private enum Kind {
        case button
        case checkButton
        case menuButton
    }

    /// The button. Not retained.
    let object: UnsafeMutableRawPointer
    private let kind: Kind

    /// `nil` for any other object.
    init?(_ object: UnsafeMutableRawPointer) {
        self.object = object
        if object.isInstance(of: gtk_button_get_type()) {
            kind = .button
        } else if object.isInstance(of: gtk_check_button_get_type()) {
            kind = .checkButton
        } else if object.isInstance(of: gtk_menu_button_get_type()) {
            kind = .menuButton
        } else {
            return nil
        }
    }

    var current: UnsafeMutableRawPointer? {
        let child =
            switch kind {
            case .button: gtk_button_get_child(object.assumingMemoryBound(to: GtkButton.self))
            case .checkButton: gtk_check_button_get_child(object.assumingMemoryBound(to: GtkCheckButton.self))
            case .menuButton: gtk_menu_button_get_child(object.opaque)
            }
        return child.map(UnsafeMutableRawPointer.init)
    }

    func set(_ child: UnsafeMutableRawPointer?) {
        switch kind {
        case .button: gtk_button_set_child(object.assumingMemoryBound(to: GtkButton.self), child?.widget)
        case .checkButton:
            gtk_check_button_set_child(object.assumingMemoryBound(to: GtkCheckButton.self), child?.widget)
        case .menuButton: gtk_menu_button_set_child(object.opaque, child?.widget)
        }
    }
}
#endif
