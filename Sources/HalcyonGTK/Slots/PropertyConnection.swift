internal import CGTK

/// A paintable in a property of an object.
///
/// The property is empty while there is nothing to be drawn, as an `AdwAvatar` then shows initials. Such objects also read
/// the size of a paintable only when they get it, so that they get it anew with each size.
@MainActor
final class PropertyConnection: SlotConnection {
    let displayWidget: UnsafeMutableRawPointer?
    private let property: PropertyValue
    private let paintable: SlotPaintable
    private let reference: ObjectReference
    /// The size with which the property was given the paintable.
    private var size: (width: Double, height: Double) = (0, 0)

    init(
        _ object: UnsafeMutableRawPointer,
        _ name: String,
        _ paintable: SlotPaintable,
        _ reference: ObjectReference
    ) {
        property = PropertyValue(object, name)
        self.paintable = paintable
        self.reference = reference
        displayWidget = object.isInstance(of: gtk_widget_get_type()) ? object : nil
    }

    func install() {
        take()
        paintable.onChange = { [weak self] in self?.update() }
        update()
    }

    func take() { property.take() }

    func uninstall() {
        paintable.onChange = nil
        property.set(nil)
    }

    func update() {
        if paintable.isEmpty { return property.set(nil) }
        let hasNewSize = paintable.naturalSize != size
        size = paintable.naturalSize
        property.set(reference, anew: hasNewSize)
    }
}

/// The value of an object's property, until the program gives it another. The next call for the slot takes that for its own.
@MainActor
final class PropertyValue {
    private let object: WeakObjectReference
    private let name: String
    /// The value that the property was given last.
    private var shown: ObjectReference?
    /// Whether the program has given the property another value.
    private var isReplaced = false

    init(_ object: UnsafeMutableRawPointer, _ name: String) {
        self.object = WeakObjectReference(object)
        self.name = name
    }

    /// Takes what is there as a value of the slot, so that it is replaced.
    ///
    /// - Returns: Whether it is another value than the slot's last one.
    @discardableResult
    func take() -> Bool {
        guard let object = object.object else { return false }
        let value = cgtk_object_property(object.pointer, name, nil)
        isReplaced = false
        guard value != shown?.pointer else { return false }
        shown = value.map { ObjectReference(retaining: $0) }
        return true
    }

    /// Gives the property another value, unless the program has. May run code of the program.
    ///
    /// - Parameter anew: Whether the object gets a value once more that it has already. Default: `false`.
    func set(_ value: ObjectReference?, anew: Bool = false) {
        let isSame = value?.pointer == shown?.pointer
        guard !isReplaced, let object = object.object, !isSame || anew else { return }
        // A value of the program's own stays for good.
        guard cgtk_object_property(object.pointer, name, shown?.pointer) == shown?.pointer else {
            isReplaced = true
            shown = nil
            return
        }
        shown = value
        // Two changes of the property, of which the program is told as one.
        g_object_freeze_notify(object.pointer.object)
        if isSame { cgtk_set_object_property(object.pointer, name, nil) }
        cgtk_set_object_property(object.pointer, name, value?.pointer)
        g_object_thaw_notify(object.pointer.object)
    }
}
