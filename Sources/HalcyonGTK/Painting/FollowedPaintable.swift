internal import CGTK

/// The handlers at a paintable whose contents or size change by themselves, such as those of a video.
@MainActor
final class FollowedPaintable {
    private let reference: ObjectReference
    /// Called after each change, with whether the size has changed.
    private let onChange: (Bool) -> Void
    private var handlers: [gulong] = []

    /// `nil` for a paintable that never changes.
    init?(_ reference: ObjectReference, onChange: @escaping (Bool) -> Void) {
        self.reference = reference
        self.onChange = onChange
        let flags = gdk_paintable_get_flags(reference.opaque).rawValue
        if flags & GDK_PAINTABLE_STATIC_CONTENTS.rawValue != 0, flags & GDK_PAINTABLE_STATIC_SIZE.rawValue != 0 {
            return nil
        }
        let data = Unmanaged.passUnretained(self).toOpaque()
        let contents: @convention(c) (gpointer?, gpointer?) -> Void = { _, data in
            FollowedPaintable.tell(data, false)
        }
        let size: @convention(c) (gpointer?, gpointer?) -> Void = { _, data in
            FollowedPaintable.tell(data, true)
        }
        handlers = [
            connect(reference.pointer, "invalidate-contents", contents, data),
            connect(reference.pointer, "invalidate-size", size, data),
        ]
    }

    /// Ends it; it must be called before the last reference goes.
    func stop() {
        for handler in handlers { g_signal_handler_disconnect(reference.pointer, handler) }
        handlers = []
    }

    private nonisolated static func tell(_ data: gpointer?, _ hasNewSize: Bool) {
        let followed = Unmanaged<FollowedPaintable>.fromOpaque(nonnull(data)).takeUnretainedValue()
        MainActor.assumeIsolated { followed.onChange(hasNewSize) }
    }
}
