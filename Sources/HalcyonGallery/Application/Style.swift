internal import CGTK
internal import HalcyonGTK

/// The looks of the program, beside those of the desktop's theme.
@MainActor
enum Style {
    private static let sheet = """
        .status-page { padding: 36px; }
        .pill { padding: 10px 28px; margin-top: 12px; border-radius: 9999px; }
        .grid gridview { padding: 12px; background: none; }
        .grid gridview > child { padding: 8px; border-radius: 10px; }
        .grid gridview > child:hover { background: alpha(currentColor, 0.06); }
        .grid gridview > child:selected { background: alpha(@theme_selected_bg_color, 0.3); color: @theme_fg_color; }
        .image-cell .caption { font-size: 0.85em; }
        .image-cell .image-badge { margin: 6px; padding: 5px; border-radius: 9999px; }
        .cell-failure button.small { padding: 2px 10px; min-height: 20px; font-size: 0.85em; border-radius: 9999px; }
        .panel { border-left: 1px solid @borders; background: @theme_bg_color; }
        .panel:dir(rtl) { border-left: none; border-right: 1px solid @borders; }
        .panel .heading { font-weight: bold; }
        .detail { background: shade(@theme_bg_color, 0.92); }
        .detail button.turn { min-width: 28px; min-height: 28px; padding: 10px; margin: 18px; opacity: 0.85; }
        .detail button.turn:disabled { opacity: 0; }
        .detail .zoom-controls { margin: 18px; padding: 4px; border-radius: 9999px; }
        .detail .zoom-controls button { border-radius: 9999px; min-width: 26px; min-height: 26px; padding: 3px; }
        .detail .zoom-factor { min-width: 4.2em; }
        .numeric { font-feature-settings: "tnum"; }
        .notice { margin: 18px; padding: 9px 18px; border-radius: 9999px; }
        window:drop(active) .content { box-shadow: inset 0 0 0 3px @theme_selected_bg_color; }
        """

    /// Adds the style sheet to a display.
    static func install(on display: OpaquePointer) {
        let provider = nonnull(gtk_css_provider_new())
        gtk_css_provider_load_from_data(provider, sheet, -1)
        gtk_style_context_add_provider_for_display(
            display,
            provider.opaque,
            guint(GTK_STYLE_PROVIDER_PRIORITY_APPLICATION)
        )
        g_object_unref(provider)
    }

    /// A Boolean value that indicates whether the program is dark, whatever the desktop is.
    static var isDark = false {
        didSet {
            guard let settings = gtk_settings_get_default() else { return }
            cgtk_set_boolean_property(settings.raw, "gtk-application-prefer-dark-theme", isDark.gboolean)
            for follower in Array(followers.values) { follower(isDark) }
        }
    }

    private static var followers: [ObjectIdentifier: (Bool) -> Void] = [:]

    /// Calls a closure when the program becomes dark or light, until `unfollow`.
    static func follow(_ owner: AnyObject, _ didChange: @escaping (Bool) -> Void) {
        followers[ObjectIdentifier(owner)] = didChange
    }

    static func unfollow(_ owner: AnyObject) { followers[ObjectIdentifier(owner)] = nil }
}
