internal import CGTK
internal import HalcyonGTK

/// Adds an action to a window.
@MainActor
func addAction(_ name: String, to window: OpaquePointer, _ body: @escaping @MainActor () -> Void) {
    let action = nonnull(g_simple_action_new(name, nil))
    onSignal(action, "activate") { _ in body() }
    g_action_map_add_action(window, action)
    g_object_unref(action.raw)
}

/// Adds an action that is on or off to a window.
///
/// - Parameter body: Called with the new state.
@MainActor
func addToggle(
    _ name: String,
    to window: OpaquePointer,
    isOn: Bool = false,
    _ body: @escaping @MainActor (Bool) -> Void
) {
    let action = nonnull(g_simple_action_new_stateful(name, nil, g_variant_new_boolean(isOn.gboolean)))
    onSignal(action, "change-state") { call in
        guard let state = call.variant(1) else { return }
        let isOn = g_variant_get_boolean(state) != 0
        setState(isOn, of: name, in: window)
        body(isOn)
    }
    g_action_map_add_action(window, action)
    g_object_unref(action.raw)
}

/// Notes the state of an action, without its effect.
@MainActor
func setState(_ isOn: Bool, of name: String, in window: OpaquePointer) {
    guard let action = g_action_map_lookup_action(window, name) else { return }
    g_simple_action_set_state(action, g_variant_new_boolean(isOn.gboolean))
}

/// Switches an action on or off.
@MainActor
func change(_ name: String, in window: OpaquePointer, to isOn: Bool) {
    guard let action = g_action_map_lookup_action(window, name) else { return }
    g_action_change_state(action, g_variant_new_boolean(isOn.gboolean))
}

@MainActor
func setEnabled(_ isEnabled: Bool, of name: String, in window: OpaquePointer) {
    guard let action = g_action_map_lookup_action(window, name) else { return }
    g_simple_action_set_enabled(action, isEnabled.gboolean)
}

/// Returns a menu of sections: the text and the action of each item.
@MainActor
func makeMenu(_ sections: [[(text: String, action: String)]]) -> OpaquePointer {
    let menu = nonnull(g_menu_new())
    for section in sections {
        let part = nonnull(g_menu_new())
        for item in section { g_menu_append(part, item.text, item.action) }
        g_menu_append_section(menu, nil, part.raw.assumingMemoryBound(to: GMenuModel.self))
        g_object_unref(part.raw)
    }
    return menu
}
