internal import CGTK

/// A slot's paintable in its object: the one place that knows which object has which slots.
@MainActor
final class SlotInstallation {
    let paintable: SlotPaintable
    let connection: any SlotConnection
    /// The object. Not retained: the installation ends before it.
    private let object: UnsafeMutableRawPointer
    /// Keeps the paintable, also where nothing else does; `nil` if the object is the paintable.
    private let reference: ObjectReference?
    /// The number of the handler of changes of the widget's direction.
    private var directionHandler: gulong?

    /// Changes nothing yet; see ``install()``. `nil` if the object has no such slot.
    init?(_ object: UnsafeMutableRawPointer, _ slot: WidgetSlot) {
        self.object = object
        // A reference to the object itself would keep it for ever.
        if slot == .image, let paintable = SlotPaintable.existing(object) {
            self.paintable = paintable
            connection = OwnPaintableConnection(paintable)
            reference = nil
            return
        }
        let (paintable, reference) = SlotPaintable.make()
        guard let connection = Self.connection(object, slot, paintable, reference) else { return nil }
        self.paintable = paintable
        self.connection = connection
        self.reference = reference
    }

    /// The widget whose size the image is shown at; `nil` for an object that is none.
    var displayWidget: UnsafeMutableRawPointer? { connection.displayWidget }

    /// Puts the paintable into the object. May run code of the program.
    func install() {
        guard !isEnding else { return }
        if object.isInstance(of: gtk_widget_get_type()) {
            let changed: @convention(c) (gpointer?, GtkTextDirection, gpointer?) -> Void = { _, _, data in
                let installation = Unmanaged<SlotInstallation>.fromOpaque(nonnull(data)).takeUnretainedValue()
                MainActor.assumeIsolated { installation.paintable.invalidateContents() }
            }
            // Removed by `uninstall()`, or by GObject with the widget, before this ends.
            let data = Unmanaged.passUnretained(self).toOpaque()
            directionHandler = connect(object, "direction-changed", changed, data)
        }
        connection.install()
    }

    /// A call for the slot begins, which takes the place of what the program has put there itself. May run code of the
    /// program.
    func take() {
        if !isEnding { connection.take() }
    }

    /// Puts the paintable into the object, if it is not there and is to be shown now. May run code of the program.
    func update() {
        if !isEnding { connection.update() }
    }

    /// `true` for a widget that is being destroyed: it has given up what it holds, and never would again.
    private var isEnding: Bool {
        object.isInstance(of: gtk_widget_get_type()) && gtk_widget_in_destruction(object.widget) != 0
    }

    /// Takes the paintable out of the object, unless something else has taken its place.
    func uninstall() {
        if let directionHandler { g_signal_handler_disconnect(object, directionHandler) }
        directionHandler = nil
        connection.uninstall()
    }

    private static func connection(
        _ object: UnsafeMutableRawPointer,
        _ slot: WidgetSlot,
        _ paintable: SlotPaintable,
        _ reference: ObjectReference
    ) -> (any SlotConnection)? {
        switch slot.kind {
        case .image:
            if object.isInstance(of: gtk_picture_get_type()) {
                return PaintableConnection(object, .picture, reference)
            }
            if object.isInstance(of: gtk_image_get_type()) { return PaintableConnection(object, .image, reference) }
            if object.isInstance(of: gtk_window_get_type()) { return WindowIconConnection(object, paintable) }
            if let toggle = toggleConnection(object, slot, paintable, reference) { return toggle }
            if let button = ButtonChild(object) { return ChildConnection(button, paintable, reference) }
            // The latter is that of `AdwAvatar`.
            return propertyConnection(object, "paintable", paintable, reference)
                ?? propertyConnection(object, "custom-image", paintable, reference)
        case .checkedImage: return toggleConnection(object, slot, paintable, reference)
        case .property(let name): return propertyConnection(object, name, paintable, reference)
        }
    }

    private static func toggleConnection(
        _ object: UnsafeMutableRawPointer,
        _ slot: WidgetSlot,
        _ paintable: SlotPaintable,
        _ reference: ObjectReference
    ) -> ToggleConnection? {
        guard object.isInstance(of: gtk_toggle_button_get_type()), let button = ButtonChild(object) else { return nil }
        let isChecked = slot == .checkedImage
        let other = WidgetState.existing(object)?.existingController(for: isChecked ? .image : .checkedImage)
        return ToggleConnection(
            button,
            isChecked: isChecked,
            sibling: other?.installation?.connection as? ToggleConnection,
            paintable,
            reference
        )
    }

    private static func propertyConnection(
        _ object: UnsafeMutableRawPointer,
        _ name: String,
        _ paintable: SlotPaintable,
        _ reference: ObjectReference
    ) -> (any SlotConnection)? {
        if cgtk_property_takes(object, name, gdk_paintable_get_type()) != 0 {
            // An `AdwAvatar` is a circle. Of a paintable that is no square it draws a copy of what that shows just then.
            paintable.isSquare = name == "custom-image"
            return PropertyConnection(object, name, paintable, reference)
        }
        if cgtk_property_takes(object, name, gdk_texture_get_type()) != 0 {
            return TextureConnection(object, name, paintable)
        }
        return nil
    }
}
