#if GTK
internal import CGTK

/// The way in which a slot's paintable gets into its widget: the one place that knows the types of widgets.
@MainActor
final class SlotInstallation {
    /// The widget whose size the image is shown at; `nil` for an object that is none.
    let displayWidget: UnsafeMutableRawPointer?
    let paintable: SlotPaintable
    private let reference: ObjectReference
    /// The object that holds the paintable. Not retained: the installation ends before it.
    private let object: UnsafeMutableRawPointer
    private let slot: WidgetSlot
    /// A widget that was made to show the image in another; it lives at least as long as the installation.
    private let child: ObjectReference?

    /// `nil` if the object has no such slot.
    init?(_ object: UnsafeMutableRawPointer, _ slot: WidgetSlot) {
        guard Self.supports(slot, object) else { return nil }
        self.object = object
        self.slot = slot
        (paintable, reference) = SlotPaintable.make()
        let isWidget = object.isInstance(of: gtk_widget_get_type())
        switch slot.kind {
        case .image where object.isInstance(of: gtk_picture_get_type()):
            gtk_picture_set_paintable(object.opaque, reference.opaque)
            child = nil
        case .image where object.isInstance(of: gtk_image_get_type()):
            gtk_image_set_from_paintable(object.opaque, reference.opaque)
            child = nil
        case .image where object.isInstance(of: gtk_button_get_type()):
            let picture = Self.makePicture(reference)
            gtk_button_set_child(object.assumingMemoryBound(to: GtkButton.self), picture.pointer.widget)
            child = picture
        case .image where object.isInstance(of: gtk_menu_button_get_type()):
            let picture = Self.makePicture(reference)
            gtk_menu_button_set_child(object.opaque, picture.pointer.widget)
            child = picture
        case .image:
            cgtk_set_object_property(object, "paintable", reference.pointer)
            child = nil
        case .checkedImage:
            child = nil
        case .property(let name):
            cgtk_set_object_property(object, name, reference.pointer)
            child = nil
        }
        displayWidget = child?.pointer ?? (isWidget ? object : nil)
    }

    /// Takes the paintable out of the widget, unless something else has taken its place.
    func uninstall() {
        switch slot.kind {
        case .image where object.isInstance(of: gtk_picture_get_type()):
            if gtk_picture_get_paintable(object.opaque) == reference.opaque {
                gtk_picture_set_paintable(object.opaque, nil)
            }
        case .image where object.isInstance(of: gtk_image_get_type()):
            if gtk_image_get_paintable(object.opaque) == reference.opaque { gtk_image_clear(object.opaque) }
        case .image where object.isInstance(of: gtk_button_get_type()):
            let button = object.assumingMemoryBound(to: GtkButton.self)
            if let child, gtk_button_get_child(button) == child.pointer.widget { gtk_button_set_child(button, nil) }
        case .image where object.isInstance(of: gtk_menu_button_get_type()):
            if let child, gtk_menu_button_get_child(object.opaque) == child.pointer.widget {
                gtk_menu_button_set_child(object.opaque, nil)
            }
        case .image: cgtk_set_object_property(object, "paintable", nil)
        case .checkedImage: break
        case .property(let name): cgtk_set_object_property(object, name, nil)
        }
    }

    private static func makePicture(_ paintable: ObjectReference) -> ObjectReference {
        let picture = nonnull(gtk_picture_new_for_paintable(paintable.opaque))
        gtk_picture_set_can_shrink(OpaquePointer(picture), true.gboolean)
        return ObjectReference(adopting: g_object_ref_sink(UnsafeMutableRawPointer(picture)))
    }

    private static func supports(_ slot: WidgetSlot, _ object: UnsafeMutableRawPointer) -> Bool {
        switch slot.kind {
        case .image:
            let types = [
                gtk_picture_get_type(), gtk_image_get_type(), gtk_button_get_type(), gtk_menu_button_get_type(),
            ]
            return types.contains { object.isInstance(of: $0) } || takesPaintable(object, "paintable")
        case .checkedImage: return false
        case .property(let name): return takesPaintable(object, name)
        }
    }

    /// Returns whether a property can be written and takes paintables of any type.
    private static func takesPaintable(_ object: UnsafeMutableRawPointer, _ name: String) -> Bool {
        cgtk_takes_paintable(object, name) != 0
    }
}
#endif
