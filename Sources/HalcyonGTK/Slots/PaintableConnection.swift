internal import CGTK

/// A paintable in a widget for images.
@MainActor
final class PaintableConnection: SlotConnection {
    /// The kind of widget.
    enum Holder {
        case picture
        case image
    }

    var displayWidget: UnsafeMutableRawPointer? { object }
    private let holder: Holder
    /// Not retained: the connection ends with it at the latest.
    private let object: UnsafeMutableRawPointer
    private let paintable: ObjectReference

    init(_ object: UnsafeMutableRawPointer, _ holder: Holder, _ paintable: ObjectReference) {
        self.object = object
        self.holder = holder
        self.paintable = paintable
    }

    func install() { set(paintable.pointer) }

    func take() {
        if current != paintable.pointer { install() }
    }

    func uninstall() {
        if current == paintable.pointer { set(nil) }
    }

    private var current: UnsafeMutableRawPointer? {
        switch holder {
        case .picture: gtk_picture_get_paintable(object.opaque).map(UnsafeMutableRawPointer.init)
        case .image: gtk_image_get_paintable(object.opaque).map(UnsafeMutableRawPointer.init)
        }
    }

    private func set(_ pointer: UnsafeMutableRawPointer?) {
        switch holder {
        case .picture: gtk_picture_set_paintable(object.opaque, pointer?.opaque)
        case .image: gtk_image_set_from_paintable(object.opaque, pointer?.opaque)
        }
    }
}

/// The paintable of an object that is itself the paintable.
@MainActor
final class OwnPaintableConnection: SlotConnection {
    var displayWidget: UnsafeMutableRawPointer? { nil }
    private let paintable: SlotPaintable

    init(_ paintable: SlotPaintable) {
        self.paintable = paintable
    }

    func install() {}

    func uninstall() {
        paintable.indicator = nil
        paintable.show(nil)
    }
}
