internal import CGTK

/// The texture of what a slot shows, in a property that takes no other paintable.
@MainActor
final class TextureConnection: SlotConnection {
    /// The longest side in pixels at which a paintable that is no image is drawn.
    private static let drawingLimit = 2_048

    let displayWidget: UnsafeMutableRawPointer?
    let isDrawn = false
    private let property: PropertyValue
    private let paintable: SlotPaintable
    /// The state of the paintable that the texture is of; see ``SlotPaintable/currentCount``.
    private var drawnCount: Int?

    init(_ object: UnsafeMutableRawPointer, _ name: String, _ paintable: SlotPaintable) {
        property = PropertyValue(object, name)
        self.paintable = paintable
        displayWidget = object.isInstance(of: gtk_widget_get_type()) ? object : nil
    }

    func install() {
        take()
        paintable.onChange = { [weak self] in self?.update() }
        update()
    }

    func uninstall() {
        paintable.onChange = nil
        property.set(nil)
    }

    func take() {
        if property.take() { drawnCount = nil }
    }

    func update() {
        // Indicators and transitions are not part of the texture.
        guard drawnCount != paintable.currentCount else { return }
        drawnCount = paintable.currentCount
        let current = paintable.current
        let isTexture = current?.pointer.isInstance(of: gdk_texture_get_type()) ?? false
        property.set(current?.texture(limit: isTexture ? .max : Self.drawingLimit))
    }
}
