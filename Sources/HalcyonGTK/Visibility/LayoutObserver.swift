internal import CGTK

/// Tells the widgets of one window of the end of each layout: sizes are known then, and nothing is drawn yet. It belongs
/// to the frame clock.
///
/// There is one handler for all of them, because GObject does not call one that is added while its signal is emitted: a
/// widget that is mapped by a layout, as the cell of a list is that comes into sight, is told of the end of that layout.
@MainActor
final class LayoutObserver {
    private var listeners: [ObjectIdentifier: (number: Int, layoutDidEnd: (Sight) -> Void)] = [:]
    /// The listeners in the order in which they were added, so that loads begin in it. Some may have been removed since.
    private var order: [(key: ObjectIdentifier, number: Int)] = []
    private var lastNumber = 0
    /// The number of places in the window that were looked at after the last layout.
    private(set) var lookCount = 0

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
        order.append((ObjectIdentifier(listener), lastNumber))
    }

    func remove(_ listener: AnyObject) {
        listeners[ObjectIdentifier(listener)] = nil
    }

    /// The number of closures.
    var count: Int { listeners.count }

    private func layoutDidEnd() {
        if order.count > 2 * listeners.count { order.removeAll { listeners[$0.key]?.number != $0.number } }
        let sight = Sight()
        // A listener may end others, and add some, which are told of the next layout.
        for (key, number) in order {
            if let listener = listeners[key], listener.number == number { listener.layoutDidEnd(sight) }
        }
        lookCount = sight.lookCount
    }
}
