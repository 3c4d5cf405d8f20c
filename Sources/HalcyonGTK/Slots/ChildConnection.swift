internal import CGTK

/// A picture as the child of a button.
@MainActor
final class ChildConnection: SlotConnection {
    private let picture: ButtonPicture
    private let paintable: SlotPaintable

    init(_ button: ButtonChild, _ paintable: SlotPaintable, _ reference: ObjectReference) {
        picture = ButtonPicture(button, reference)
        self.paintable = paintable
    }

    /// The picture itself has no size before it is laid out, and then that of the button's content.
    var displayWidget: UnsafeMutableRawPointer? { picture.button.object }

    func install() {
        paintable.onChange = { [weak self] in self?.update() }
        take()
        update()
    }

    func take() { picture.begin() }

    func uninstall() {
        paintable.onChange = nil
        picture.end()
    }

    func update() { picture.update(showsImage: paintable.current != nil) }
}

/// A picture that becomes the child of a button: at once if the button is empty, and otherwise with the first image, so
/// that a label stays until then.
@MainActor
final class ButtonPicture {
    let button: ButtonChild
    let reference: ObjectReference
    /// Whether the button still has the content of the program's, and its child, if that is a widget.
    private var isWaiting = false
    private var replaced: ObjectReference?

    init(_ button: ButtonChild, _ paintable: ObjectReference? = nil) {
        self.button = button
        let picture = nonnull(gtk_picture_new_for_paintable(paintable?.opaque))
        // It may become as small as its place is.
        gtk_picture_set_can_shrink(OpaquePointer(picture), true.gboolean)
        reference = ObjectReference(adopting: g_object_ref_sink(UnsafeMutableRawPointer(picture)))
    }

    /// Begins to wait for an image, in the place of what the button has now, unless that is the picture.
    func begin() {
        guard button.current != reference.pointer else { return }
        isWaiting = true
        replaced = button.current.map { ObjectReference(retaining: $0) }
    }

    /// Takes its place, if it is time. May run code of the program.
    func update(showsImage: Bool) {
        guard isWaiting, showsImage || !button.hasContent else { return }
        isWaiting = false
        let replaced = replaced
        self.replaced = nil
        // What the program has put there meanwhile stays.
        if button.current == replaced?.pointer { button.set(reference.pointer) }
    }

    /// Gives its place up.
    func end() {
        isWaiting = false
        replaced = nil
        if button.current == reference.pointer { button.set(nil) }
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

    /// A Boolean value that indicates whether the button has a child, a label or an icon.
    var hasContent: Bool {
        if current != nil { return true }
        return switch kind {
        case .button: false
        case .checkButton: gtk_check_button_get_label(object.assumingMemoryBound(to: GtkCheckButton.self)) != nil
        case .menuButton:
            gtk_menu_button_get_label(object.opaque) != nil || gtk_menu_button_get_icon_name(object.opaque) != nil
        }
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
