internal import CGTK

/// One of the two images of a toggle button.
@MainActor
final class ToggleConnection: SlotConnection {
    let child: ToggleChild
    private let paintable: SlotPaintable
    private let reference: ObjectReference
    private let isChecked: Bool

    /// - Parameter sibling: The connection of the other image; `nil` if that is not in use.
    init(
        _ button: ButtonChild,
        isChecked: Bool,
        sibling: ToggleConnection?,
        _ paintable: SlotPaintable,
        _ reference: ObjectReference
    ) {
        child = sibling?.child ?? ToggleChild(button)
        self.isChecked = isChecked
        self.paintable = paintable
        self.reference = reference
    }

    var displayWidget: UnsafeMutableRawPointer? { child.button.object }

    func install() {
        paintable.onChange = { [weak child] in child?.update() }
        child.add(paintable, reference, isChecked: isChecked)
    }

    func take() { child.take() }

    func update() { child.update() }

    func uninstall() {
        paintable.onChange = nil
        child.remove(isChecked: isChecked)
    }
}

/// The picture of a toggle button, which shows one of two paintables, as the button is active or not.
@MainActor
final class ToggleChild {
    private let picture: ButtonPicture
    private var normal: (paintable: SlotPaintable, reference: ObjectReference)?
    private var checked: (paintable: SlotPaintable, reference: ObjectReference)?
    /// The number of the handler at the button; `nil` while there is no image.
    private var handler: gulong?

    init(_ button: ButtonChild) {
        picture = ButtonPicture(button)
    }

    var button: ButtonChild { picture.button }

    func add(_ paintable: SlotPaintable, _ reference: ObjectReference, isChecked: Bool) {
        if isChecked { checked = (paintable, reference) } else { normal = (paintable, reference) }
        if handler == nil {
            let notify: @convention(c) (gpointer?, gpointer?, gpointer?) -> Void = { _, _, data in
                let child = Unmanaged<ToggleChild>.fromOpaque(nonnull(data)).takeUnretainedValue()
                MainActor.assumeIsolated { child.update() }
            }
            // The connections, which keep this, end with the button, after GObject has removed its handlers; or with
            // `remove(isChecked:)`.
            handler = connect(button.object, "notify::active", notify, Unmanaged.passUnretained(self).toOpaque())
            take()
        }
        update()
    }

    func take() { picture.begin() }

    func remove(isChecked: Bool) {
        if isChecked { checked = nil } else { normal = nil }
        update()
        guard normal == nil, checked == nil, let handler else { return }
        self.handler = nil
        g_signal_handler_disconnect(button.object, handler)
        picture.end()
    }

    /// Lets the picture show the paintable that counts.
    func update() {
        let shown = if let checked, isActive, !checked.paintable.isEmpty { checked } else { normal }
        let pointer = shown?.reference.opaque
        let widget = picture.reference.opaque
        if gtk_picture_get_paintable(widget) != pointer { gtk_picture_set_paintable(widget, pointer) }
        picture.update(showsImage: shown?.paintable.current != nil)
    }

    private var isActive: Bool {
        gtk_toggle_button_get_active(button.object.assumingMemoryBound(to: GtkToggleButton.self)) != 0
    }
}
