internal import CGTK

/// Tells the widgets of one window of the end of each layout: sizes are known then, and nothing is drawn yet. It belongs
/// to the frame clock.
///
/// There is one handler for all of them, because GObject does not call one that is added while its signal is emitted: a
/// widget that is mapped by a layout, as the cell of a list is that comes into sight, is told of the end of that layout.
@MainActor
final class LayoutObserver {
    private var listeners: [ObjectIdentifier: (number: Int, layoutDidEnd: (Sight) -> Void)] = [:]
    private var lastNumber = 0

    private static let key = g_quark_from_static_string("halcyon-layout-observer")

    private init() {}

    /// Returns the observer of a frame clock, made where there is none.
    static func of(_ clock: UnsafeMutableRawPointer) -> LayoutObserver {
        if let data = g_object_get_qdata(clock.object, key) {
            return Unmanaged<LayoutObserver>.fromOpaque(data).takeUnretainedValue()
        }
        let observer = LayoutObserver()
        // The handler goes before it does.
        let data = Unmanaged.passRetained(observer).toOpaque()
        g_object_set_qdata_full(clock.object, key, data) { pointer in
            Unmanaged<LayoutObserver>.fromOpaque(nonnull(pointer)).release()
        }
        let layout: @convention(c) (gpointer?, gpointer?) -> Void = { _, data in
            let observer = Unmanaged<LayoutObserver>.fromOpaque(nonnull(data)).takeUnretainedValue()
            MainActor.assumeIsolated { observer.layoutDidEnd() }
        }
        connect(clock, "layout", layout, data, after: true)
        return observer
    }

    /// Calls a closure after each layout, until `remove`, with what can be seen then.
    func add(_ listener: AnyObject, _ layoutDidEnd: @escaping (Sight) -> Void) {
        lastNumber += 1
        listeners[ObjectIdentifier(listener)] = (lastNumber, layoutDidEnd)
    }

    func remove(_ listener: AnyObject) {
        listeners[ObjectIdentifier(listener)] = nil
    }

    /// The number of closures.
    var count: Int { listeners.count }

    private func layoutDidEnd() {
        // In the order in which they were added, so that loads begin in it. A listener may end others.
        let sight = Sight()
        for key in listeners.sorted(by: { $0.value.number < $1.value.number }).map(\.key) {
            listeners[key]?.layoutDidEnd(sight)
        }
    }
}
