import CGTK

@testable import HalcyonGTK

/// The user's setting for animations.
@MainActor
enum Motion {
    static func set(_ isOn: Bool) {
        guard let settings = gtk_settings_get_default() else { return }
        var value = GValue()
        g_value_init(&value, GType(5 << 2))
        g_value_set_boolean(&value, isOn ? 1 : 0)
        g_object_set_property(
            UnsafeMutableRawPointer(settings).assumingMemoryBound(to: GObject.self),
            "gtk-enable-animations",
            &value
        )
        g_value_unset(&value)
    }
}

extension TestPlace {
    /// What does the work for the picture's slot.
    var controller: SlotController? {
        WidgetState.existing(UnsafeMutableRawPointer(widget))?.existingController(for: .image)
    }
}
