internal import Glibc
internal import HalcyonSystem

/// Reports shortage of memory, as the kernel states it.
///
/// It waits on one thread of its own, which exists only while a handler is registered; where the system reports nothing
/// (no pressure stall information, no control group of version 2, or no right to use them) there is none.
public final class MemoryPressureMonitor: Sendable {
    /// The monitor of this process.
    public static let shared = MemoryPressureMonitor()

    /// Ends the listening when it is released.
    public final class Subscription: Sendable {
        private let monitor: MemoryPressureMonitor
        private let id: Int

        fileprivate init(_ monitor: MemoryPressureMonitor, _ id: Int) {
            self.monitor = monitor
            self.id = id
        }

        deinit {
            monitor.remove(id)
        }
    }

    struct State {
        var handlers: [Int: @Sendable (MemoryPressure) -> Void] = [:]
        var lastID = 0
        var watch: MemoryPressureWatch?
    }

    private let sources: MemoryPressureSources
    let state = Lock(State())

    /// A monitor of its own.
    ///
    /// - Parameter sources: The files that are watched. Default: those of this process.
    public init(sources: MemoryPressureSources = MemoryPressureSources()) {
        self.sources = sources
    }

    /// Calls `handler` whenever memory runs short, at most once a second for pressure that lasts, on the monitor's
    /// thread. It must not take long.
    ///
    /// - Returns: A registration, which keeps the handler registered. A call in progress may outlast it.
    public func addHandler(_ handler: @escaping @Sendable (MemoryPressure) -> Void) -> Subscription {
        let id = state.withLock { state in
            state.lastID += 1
            state.handlers[state.lastID] = handler
            if state.watch == nil {
                state.watch = MemoryPressureWatch(sources) { [weak self] pressure in self?.tell(pressure) }
            }
            return state.lastID
        }
        return Subscription(self, id)
    }

    private func remove(_ id: Int) {
        let (handler, watch) = state.withLock { state in
            let handler = state.handlers.removeValue(forKey: id)
            guard state.handlers.isEmpty else { return (handler, MemoryPressureWatch?.none) }
            defer { state.watch = nil }
            return (handler, state.watch)
        }
        // Both end here, outside the lock: a handler may hold what uses this monitor.
        withExtendedLifetime((handler, watch)) {}
    }

    /// Calls all handlers, as a report of the kernel does. For programs that learn of pressure in another way.
    public func tell(_ pressure: MemoryPressure) {
        let handlers = state.withLock { $0.handlers.sorted { $0.key < $1.key }.map(\.value) }
        for handler in handlers { handler(pressure) }
    }
}
