#if GTK
internal import CGTK

/// A paintable in an object that takes one itself.
@MainActor
final class PaintableConnection: SlotConnection {
    /// The kind of object.
    enum Holder {
        case picture
        case image
        case property(String)
    }

    let displayWidget: UnsafeMutableRawPointer?
    private let holder: Holder
    /// Not retained: the connection ends with it at the latest.
    private let object: UnsafeMutableRawPointer
    private let paintable: ObjectReference

    init(_ object: UnsafeMutableRawPointer, _ holder: Holder, _ paintable: ObjectReference) {
        self.object = object
        self.holder = holder
        self.paintable = paintable
        displayWidget = object.isInstance(of: gtk_widget_get_type()) ? object : nil
    }

    func install() { set(paintable.pointer) }

    func uninstall() {
        if current == paintable.pointer { set(nil) }
    }

    private var current: UnsafeMutableRawPointer? {
        switch holder {
        case .picture: gtk_picture_get_paintable(object.opaque).map(UnsafeMutableRawPointer.init)
        case .image: gtk_image_get_paintable(object.opaque).map(UnsafeMutableRawPointer.init)
        case .property(let name): cgtk_object_property(object, name, paintable.pointer)
        }
    }

    private func set(_ pointer: UnsafeMutableRawPointer?) {
        switch holder {
        case .picture: gtk_picture_set_paintable(object.opaque, pointer?.opaque)
        case .image: gtk_image_set_from_paintable(object.opaque, pointer?.opaque)
        case .property(let name): cgtk_set_object_property(object, name, pointer)
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
#endif
