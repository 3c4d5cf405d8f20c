internal import CGTK
internal import HalcyonGTK

extension GalleryWindow {
    func addActions() {
        addAction("open", to: window) { [weak self] in self?.chooseFiles(folders: false) }
        addAction("open-folder", to: window) { [weak self] in self?.chooseFiles(folders: true) }
        addAction("clear", to: window) { [weak self] in self?.clear() }
        addAction("remove", to: window) { [weak self] in self?.removeImage() }
        setEnabled(false, of: "remove", in: window)
        addAction("back", to: window) { [weak self] in self?.back() }
        addAction("previous", to: window) { [weak self] in self?.turn(by: -1) }
        addAction("next", to: window) { [weak self] in self?.turn(by: 1) }
        addAction("zoom-in", to: window) { [weak self] in self?.detail.zoom.zoom(by: ZoomScale.step) }
        addAction("zoom-out", to: window) { [weak self] in self?.detail.zoom.zoom(by: 1 / ZoomScale.step) }
        addAction("zoom-fit", to: window) { [weak self] in self?.detail.zoom.fit() }
        addAction("zoom-original", to: window) { [weak self] in self?.detail.zoom.showOwnSize() }
        addAction("play", to: window) { [weak self] in self?.detail.togglePlaying() }
        addAction("shortcuts", to: window) { [weak self] in
            guard let self else { return }
            ShortcutsWindow.present(for: windowPointer)
        }
        addAction("about", to: window) { [weak self] in
            guard let self else { return }
            AboutWindow.present(for: windowPointer)
        }
        addToggle("search", to: window) { [weak self] isOn in self?.setSearching(isOn) }
        addToggle("panel", to: window) { [weak self] isOn in self?.panel.setOpen(isOn) }
        addToggle("fullscreen", to: window) { [weak self] isOn in
            guard let self else { return }
            if isOn { gtk_window_fullscreen(windowPointer) } else { gtk_window_unfullscreen(windowPointer) }
        }
        addToggle("dark", to: window, isOn: Style.isDark) { Style.isDark = $0 }
        // Another window may change it.
        Style.follow(self) { [window] isDark in setState(isDark, of: "dark", in: window) }
    }

    private func setSearching(_ isOn: Bool) {
        if isOn, page == .detail { back() }
        gtk_search_bar_set_search_mode(searchBar.opaque, isOn.gboolean)
        if isOn { gtk_widget_grab_focus(searchEntry) } else { gtk_editable_set_text(searchEntry.opaque, "") }
    }

    /// Keys of one character, which would keep a person from typing them into the search as shortcuts of the window.
    func addKeys() {
        let keys = nonnull(gtk_event_controller_key_new())
        onSignal(keys, "key-pressed") { [weak self] call in
            guard let self else { return }
            let modifiers = call.flags(3) & gtk_accelerator_get_default_mod_mask().rawValue
            call.answer(modifiers & ~GDK_SHIFT_MASK.rawValue == 0 && handleKey(Int32(call.uint(1))))
        }
        gtk_widget_add_controller(window.widget, keys)
    }

    /// - Returns: Whether the key has a meaning now.
    private func handleKey(_ key: Int32) -> Bool {
        if key == GDK_KEY_Escape { return leave() }
        if key == GDK_KEY_Delete || key == GDK_KEY_KP_Delete {
            removeImage()
            return true
        }
        guard page == .detail else { return false }
        let forward = gtk_widget_get_direction(window.widget) == GTK_TEXT_DIR_RTL ? -1 : 1
        switch key {
        case GDK_KEY_Right, GDK_KEY_KP_Right: turn(by: forward)
        case GDK_KEY_Left, GDK_KEY_KP_Left: turn(by: -forward)
        case GDK_KEY_Page_Down, GDK_KEY_n: turn(by: 1)
        case GDK_KEY_Page_Up, GDK_KEY_p, GDK_KEY_BackSpace: turn(by: -1)
        case GDK_KEY_Home: turn(by: -collection.matchCount)
        case GDK_KEY_End: turn(by: collection.matchCount)
        case GDK_KEY_plus, GDK_KEY_equal, GDK_KEY_KP_Add: detail.zoom.zoom(by: ZoomScale.step)
        case GDK_KEY_minus, GDK_KEY_KP_Subtract: detail.zoom.zoom(by: 1 / ZoomScale.step)
        case GDK_KEY_0, GDK_KEY_KP_0: detail.zoom.fit()
        case GDK_KEY_1, GDK_KEY_KP_1: detail.zoom.showOwnSize()
        case GDK_KEY_space: detail.togglePlaying()
        case GDK_KEY_r: detail.retry()
        default: return false
        }
        return true
    }

    /// Leaves the full screen, the image that is shown in full, or the search.
    private func leave() -> Bool {
        if gtk_window_is_fullscreen(windowPointer) != 0 {
            change("fullscreen", in: window, to: false)
        } else if page == .detail {
            back()
        } else if gtk_search_bar_get_search_mode(searchBar.opaque) != 0 {
            setSearching(false)
        } else {
            return false
        }
        return true
    }
}
