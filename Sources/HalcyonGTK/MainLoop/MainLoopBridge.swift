internal import CGTK
internal import Glibc

/// Lets GLib's main loop run the main actor.
///
/// A GTK program spends its time in `g_application_run`, which knows nothing of Swift: without this, no
/// `Task { @MainActor in … }` and no block of `DispatchQueue.main` ever runs there. Installed, both run as sources of
/// GLib's default main context, which waits for them without polling.
///
/// Call ``install()`` once, on the main thread, before the main loop runs:
///
/// ```swift
/// try MainLoopBridge.install()
/// let status = g_application_run(application, 0, nil)
/// ```
///
/// Install it with a binding of GTK as well, whatever that does: one that polls the main actor runs it up to 50 ms late.
/// Both together do no harm. Halcyon measures once how late the main actor runs, and warns where it is not served at once.
///
/// - Important: Call `g_application_run` from `main` itself, before its first `await`, and never from a task: while a
///   task of the main actor runs a main loop, no other task of the main actor runs.
@MainActor
public enum MainLoopBridge {
    /// The source in GLib's default main context; `nil` if the bridge is not installed.
    private static var source: UnsafeMutablePointer<GSource>?

    /// A Boolean value that indicates whether the bridge is installed.
    public static var isInstalled: Bool { source != nil }

    /// Adds the main actor to GLib's default main context, with GLib's default priority. Of no effect if that was done.
    ///
    /// - Throws: ``MainLoopError``.
    public static func install() throws(MainLoopError) {
        guard source == nil else { return }
        guard getpid() == cgtk_thread_id() else { throw .notOnMainThread }
        let descriptor = _dispatch_get_main_queue_handle_4CF()
        guard descriptor >= 0, let source = g_unix_fd_source_new(descriptor, G_IO_IN) else { throw .unavailable }
        let serve: GUnixFDSourceFunc = { descriptor, _, _ in
            // The descriptor is an event counter that does not block. It is set to 0 first, so that work that comes from
            // now on wakes the loop again.
            var count: UInt64 = 0
            _ = read(descriptor, &count, MemoryLayout.size(ofValue: count))
            _dispatch_main_queue_callback_4CF(nil)
            return true.gboolean
        }
        // GLib takes every callback as a `GSourceFunc`, and calls that of a descriptor with its own arguments.
        g_source_set_callback(source, unsafeBitCast(serve, to: GSourceFunc.self), nil, nil)
        g_source_set_priority(source, G_PRIORITY_DEFAULT)
        g_source_set_name(source, "Swift main actor")
        g_source_attach(source, nil)
        Self.source = source
    }

    /// Removes the main actor from the main context again. Of no effect if it is not there.
    public static func uninstall() {
        guard let source else { return }
        g_source_destroy(source)
        g_source_unref(source)
        self.source = nil
    }
}
