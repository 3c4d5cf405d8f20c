internal import CGTK

/// What belongs to one widget: its slots, and its visibility. It is made with the first use and ends with the widget.
@MainActor
final class WidgetState {
    /// The widget; `nil` once it has ended.
    private(set) var object: UnsafeMutableRawPointer?
    private var controllers: [WidgetSlot: SlotController] = [:]
    let visibility: WidgetVisibility

    private static let key = g_quark_from_static_string("halcyon-widget-state")

    /// Returns the state of a widget, made where there is none.
    static func of(_ object: UnsafeMutableRawPointer) -> WidgetState {
        if let state = existing(object) { return state }
        let state = WidgetState(object)
        g_object_set_qdata_full(object.object, key, Unmanaged.passRetained(state).toOpaque()) { pointer in
            let state = Unmanaged<WidgetState>.fromOpaque(nonnull(pointer))
            MainActor.assumeIsolated { state.takeUnretainedValue().objectWillEnd() }
            state.release()
        }
        return state
    }

    /// The state of a widget; `nil` where there is none.
    static func existing(_ object: UnsafeMutableRawPointer) -> WidgetState? {
        g_object_get_qdata(object.object, key).map { Unmanaged<WidgetState>.fromOpaque($0).takeUnretainedValue() }
    }

    /// The name of the type of an object.
    static func typeName(of object: UnsafeMutableRawPointer) -> String {
        g_type_name(cgtk_type_of(object)).map { String(cString: $0) } ?? "GObject"
    }

    private init(_ object: UnsafeMutableRawPointer) {
        self.object = object
        visibility = WidgetVisibility(object)
        visibility.onChange = { [unowned self] change in
            // So that loads begin in the order of their calls.
            let ordered = controllers.values.sorted { $0.call < $1.call }
            for controller in ordered { controller.visibilityDidChange(change) }
        }
        visibility.isNeeded = { [unowned self] in controllers.values.contains { $0.followsLayouts } }
    }

    /// The controller of a slot, made where there is none; `nil` if the widget has no such slot.
    func controller(for slot: WidgetSlot) -> SlotController? {
        if let controller = controllers[slot] { return controller }
        guard let object, let installation = SlotInstallation(object, slot) else { return nil }
        let controller = SlotController(installation, visibility)
        controllers[slot] = controller
        // Code of the program may run in it, and ask for the same slot.
        installation.install()
        return controller
    }

    /// The controller of a slot; `nil` if it is not in use.
    func existingController(for slot: WidgetSlot) -> SlotController? { controllers[slot] }

    func cancelAll() {
        for controller in Array(controllers.values) { controller.cancel() }
    }

    /// Gives a slot up.
    func remove(_ slot: WidgetSlot) {
        guard let controller = controllers.removeValue(forKey: slot) else { return }
        controller.end(uninstalls: true)
    }

    /// The widget is being finalised: nothing of it may be used any more.
    private func objectWillEnd() {
        object = nil
        visibility.end()
        let ended = controllers
        controllers = [:]
        for controller in ended.values { controller.end(uninstalls: false) }
    }
}
