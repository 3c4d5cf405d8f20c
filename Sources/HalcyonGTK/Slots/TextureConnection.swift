#if GTK
internal import CGTK

/// The texture of what a slot shows, in a property that takes no other paintable.
@MainActor
final class TextureConnection: SlotConnection {
    /// The longest side in pixels at which a paintable that is no image is drawn.
    private static let drawingLimit = 2_048

    let displayWidget: UnsafeMutableRawPointer?
    let isDrawn = false
    private let name: String
    private let object: WeakObjectReference
    private let paintable: SlotPaintable
    /// The texture that the property was given last.
    private var shown: ObjectReference?
    /// The state of the paintable that it is of; see ``SlotPaintable/currentCount``.
    private var drawnCount: Int?
    /// Whether the program has given the property another value.
    private var isReplaced = false

    init(_ object: UnsafeMutableRawPointer, _ name: String, _ paintable: SlotPaintable) {
        self.object = WeakObjectReference(object)
        self.name = name
        self.paintable = paintable
        displayWidget = object.isInstance(of: gtk_widget_get_type()) ? object : nil
    }

    func install() {
        // Taken as the slot's own, so that it is replaced.
        if let object = object.object {
            shown = cgtk_object_property(object.pointer, name, nil).map { ObjectReference(retaining: $0) }
        }
        paintable.onChange = { [weak self] in self?.update() }
        update()
    }

    func uninstall() {
        paintable.onChange = nil
        set(nil)
    }

    private func update() {
        // Indicators and transitions are not part of the texture.
        guard !isReplaced, drawnCount != paintable.currentCount else { return }
        drawnCount = paintable.currentCount
        let current = paintable.current
        let isTexture = current?.pointer.isInstance(of: gdk_texture_get_type()) ?? false
        set(current?.texture(limit: isTexture ? .max : Self.drawingLimit))
    }

    private func set(_ texture: ObjectReference?) {
        // A value of the program's own stays for good.
        guard !isReplaced, let object = object.object, texture?.pointer != shown?.pointer else { return }
        guard cgtk_object_property(object.pointer, name, shown?.pointer) == shown?.pointer else {
            isReplaced = true
            shown = nil
            return
        }
        shown = texture
        cgtk_set_object_property(object.pointer, name, texture?.pointer)
    }
}
#endif
