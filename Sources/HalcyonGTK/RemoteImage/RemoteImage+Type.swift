internal import CGTK

extension RemoteImage {
    /// Registers the type of the widgets, `HalcyonRemoteImage`, so that `.ui` files and Blueprint may name it.
    ///
    /// Its properties are `uri`, a text or nothing, which ``Source/gioFile(uri:cacheKey:)`` says more of, and `loading`, a
    /// Boolean that cannot be set. Changes of both are notified. A widget that such a file makes has the default
    /// configuration and pipeline; ``init(widget:)`` gets at them.
    ///
    /// ```xml
    /// <object class="HalcyonRemoteImage" id="cover">
    ///   <property name="uri">resource:///org/example/cover.png</property>
    /// </object>
    /// ```
    ///
    /// - Returns: The `GType`.
    @discardableResult
    public static func registerType() -> UInt { UInt(RemoteImageType.type) }
}

/// The type of GObject of remote images: an overlay with two properties.
@MainActor
enum RemoteImageType {
    /// The numbers of the properties.
    private enum Property {
        static let uri: guint = 1
        static let loading: guint = 2
    }

    static let type: GType = {
        var parent = GTypeQuery()
        g_type_query(gtk_overlay_get_type(), &parent)
        var description = GTypeInfo()
        description.class_size = guint16(parent.class_size)
        description.instance_size = guint16(parent.instance_size)
        description.class_init = { widgetClass, _ in
            RemoteImageType.addProperties(to: nonnull(widgetClass).assumingMemoryBound(to: GObjectClass.self))
        }
        return g_type_register_static(
            gtk_overlay_get_type(),
            "HalcyonRemoteImage",
            &description,
            GTypeFlags(rawValue: 0)
        )
    }()

    private nonisolated static func addProperties(to table: UnsafeMutablePointer<GObjectClass>) {
        // GTK makes and changes widgets on the main thread alone.
        table.pointee.set_property = { object, id, value, _ in
            nonisolated(unsafe) let (object, value) = (nonnull(object), nonnull(value))
            MainActor.assumeIsolated {
                guard id == Property.uri, let controller = RemoteImageController.of(object.raw) else { return }
                controller.uri = g_value_get_string(value).map { String(cString: $0) }
            }
        }
        table.pointee.get_property = { object, id, value, _ in
            nonisolated(unsafe) let (object, value) = (nonnull(object), nonnull(value))
            MainActor.assumeIsolated {
                let controller = RemoteImageController.existing(object.raw)
                if id == Property.uri {
                    g_value_set_string(value, controller?.uri)
                } else {
                    g_value_set_boolean(value, (controller?.state.isLoading ?? false).gboolean)
                }
            }
        }
        let explicit = G_PARAM_READABLE.rawValue | G_PARAM_EXPLICIT_NOTIFY.rawValue
        let readable = GParamFlags(rawValue: explicit)
        let writable = GParamFlags(rawValue: explicit | G_PARAM_WRITABLE.rawValue)
        let uri = g_param_spec_string("uri", nil, nil, nil, writable)
        g_object_class_install_property(table, Property.uri, uri)
        let loading = g_param_spec_boolean("loading", nil, nil, false.gboolean, readable)
        g_object_class_install_property(table, Property.loading, loading)
    }
}
