internal import CGTK
internal import Glibc
internal import HalcyonGTK
internal import HalcyonSystem

extension GalleryWindow {
    /// Lets the person choose files or folders.
    func chooseFiles(folders: Bool) {
        let chooser = nonnull(
            gtk_file_chooser_native_new(
                folders ? "Open Folder" : "Open Images",
                windowPointer,
                folders ? GTK_FILE_CHOOSER_ACTION_SELECT_FOLDER : GTK_FILE_CHOOSER_ACTION_OPEN,
                "_Open",
                "_Cancel"
            )
        )
        gtk_file_chooser_set_select_multiple(chooser, true.gboolean)
        if !folders {
            addFilter("Images and lists of links", ["image/*"], [".txt"], to: chooser)
            addFilter("All files", [], ["*"], to: chooser)
        }
        onSignal(chooser, "response") { [weak self] call in
            // The reference from below ends here.
            defer { g_object_unref(chooser.raw) }
            guard call.int(1) == Int(GTK_RESPONSE_ACCEPT.rawValue), let self, !isClosed else { return }
            let files = nonnull(gtk_file_chooser_get_files(chooser))
            defer { g_object_unref(files.raw) }
            var locations: [String] = []
            for index in 0..<g_list_model_get_n_items(files) {
                guard let file = g_list_model_get_item(files, index) else { continue }
                locations.append(Self.location(of: OpaquePointer(file)))
                g_object_unref(file)
            }
            open(locations)
        }
        gtk_native_dialog_show(chooser.raw.assumingMemoryBound(to: GtkNativeDialog.self))
    }

    private func addFilter(_ name: String, _ types: [String], _ patterns: [String], to chooser: OpaquePointer) {
        let filter = nonnull(gtk_file_filter_new())
        gtk_file_filter_set_name(filter, name)
        for type in types { gtk_file_filter_add_mime_type(filter, type) }
        for pattern in patterns { gtk_file_filter_add_pattern(filter, pattern == "*" ? pattern : "*" + pattern) }
        gtk_file_chooser_add_filter(chooser, filter)
        g_object_unref(filter.raw)
    }

    /// The path of a `GFile`, or its URL if it has none.
    static func location(of file: OpaquePointer) -> String {
        if let path = g_file_get_path(file) {
            defer { g_free(path) }
            return FilePath.text(of: Array(UnsafeRawBufferPointer(start: path, count: strlen(path))))
        }
        return takeString(g_file_get_uri(file))
    }

    /// Takes files and text that are dropped on the window.
    func addDropTarget() {
        let target = nonnull(gtk_drop_target_new(0, GDK_ACTION_COPY))
        var types = [gdk_file_list_get_type(), g_type_from_name("gchararray")]
        gtk_drop_target_set_gtypes(target, &types, gsize(types.count))
        onSignal(target, "drop") { [weak self] call in
            guard let self, let value = call.boxed(1) else { return call.answer(false) }
            let locations = Self.locations(in: value.assumingMemoryBound(to: GValue.self))
            open(locations)
            call.answer(!locations.isEmpty)
        }
        gtk_widget_add_controller(window.widget, target)
    }

    private static func locations(in value: UnsafePointer<GValue>) -> [String] {
        if let text = value.pointee.g_type == g_type_from_name("gchararray") ? g_value_get_string(value) : nil {
            // Links and paths; any other text is none of ours.
            return LinkList.lines(of: String(cString: text).utf8).map { String(decoding: $0, as: UTF8.self) }
                .filter { ItemReader.isLink($0) || $0.first == "/" }
        }
        guard let list = g_value_get_boxed(value) else { return [] }
        let files = gdk_file_list_get_files(OpaquePointer(list))
        defer { g_slist_free(files) }
        var locations: [String] = []
        var entry = files
        while let file = entry {
            if let data = file.pointee.data { locations.append(location(of: OpaquePointer(data))) }
            entry = file.pointee.next
        }
        return locations
    }
}
