internal import HalcyonSystem

/// A monitor of the network of a Linux machine, by its interfaces and routes.
///
/// It listens to the kernel (rtnetlink) only while there is a reader of ``statusUpdates``; in between it holds no
/// descriptor and no thread, and ``status`` looks when it is read.
///
/// The kernel does not know whether the network is metered: a program that does sets ``isMetered``. NetworkManager's
/// opinion is not read, as that would take a D-Bus connection.
public final class NetworkMonitor: NetworkMonitoring {
    /// The monitor for programs that need only one.
    public static let shared = NetworkMonitor()

    private struct Listener {
        let continuation: AsyncStream<NetworkStatus>.Continuation
        /// The last state that was sent to it.
        var told: NetworkStatus?
    }

    private struct State {
        var isMetered: Bool
        /// The state that was seen last; `nil` if there has been no look since the first listener came.
        var isConnected: Bool?
        /// The number of looks begun, and the number of the one that `isConnected` is from. An earlier look that ends
        /// later counts for nothing.
        var beganLooks = 0
        var lastLook = 0
        var listeners: [Int: Listener] = [:]
        var nextListener = 0
        var source: NetlinkListener?
        /// A Boolean value that indicates whether a thread is sending to listeners. It also sends the changes that come
        /// meanwhile, so that each listener gets them in order.
        var isTelling = false

        /// Returns the state, and the listeners to send it to; `nil`, which ends the sending, if there are none.
        mutating func nextNews() -> (NetworkStatus, [AsyncStream<NetworkStatus>.Continuation])? {
            var continuations: [AsyncStream<NetworkStatus>.Continuation] = []
            guard let isConnected else {
                isTelling = false
                return nil
            }
            let status = NetworkStatus(isConnected: isConnected, isMetered: isMetered)
            for (id, listener) in listeners where listener.told != status {
                listeners[id]?.told = status
                continuations.append(listener.continuation)
            }
            isTelling = !continuations.isEmpty
            return isTelling ? (status, continuations) : nil
        }
    }

    private let state: Lock<State>
    private let isConnected: @Sendable () -> Bool
    private let makeListener: @Sendable (_ onChange: @escaping @Sendable () -> Void) -> NetlinkListener?

    /// Creates a monitor of this machine's network; default: not metered.
    public convenience init(isMetered: Bool = false) {
        self.init(
            isMetered: isMetered,
            isConnected: { NetworkInterfaces.areConnected },
            makeListener: { NetlinkListener(onChange: $0) }
        )
    }

    /// Creates a monitor with another source of the state.
    package init(
        isMetered: Bool,
        isConnected: @escaping @Sendable () -> Bool,
        makeListener: @escaping @Sendable (_ onChange: @escaping @Sendable () -> Void) -> NetlinkListener?
    ) {
        state = Lock(State(isMetered: isMetered))
        self.isConnected = isConnected
        self.makeListener = makeListener
    }

    /// A Boolean value that indicates whether bytes cost money, as the program has set it.
    public var isMetered: Bool {
        get { state.withLock { $0.isMetered } }
        set {
            state.withLock { $0.isMetered = newValue }
            refresh()
        }
    }

    /// The present state, read at each access; that takes about a tenth of a millisecond.
    public var status: NetworkStatus {
        NetworkStatus(isConnected: isConnected(), isMetered: isMetered)
    }

    /// A Boolean value that indicates whether the monitor listens to the kernel.
    package var isListening: Bool { state.withLock { $0.source != nil } }

    /// The present state, then each change, until the stream is released. A slow reader gets the latest state.
    public var statusUpdates: AsyncStream<NetworkStatus> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: NetworkStatus.self,
            bufferingPolicy: .bufferingNewest(1)
        )
        let id = add(continuation)
        continuation.onTermination = { [weak self] _ in self?.remove(id) }
        // After listening to the kernel has begun, so that no change falls in between.
        refresh()
        return stream
    }

    /// Adds a listener, and listens to the kernel if nothing else does.
    private func add(_ continuation: AsyncStream<NetworkStatus>.Continuation) -> Int {
        var source: NetlinkListener?
        var hasSource = false
        while true {
            let id = state.withLock { state -> Int? in
                guard state.source != nil || hasSource else { return nil }
                if state.source == nil { swap(&state.source, &source) }
                state.nextListener += 1
                state.listeners[state.nextListener] = Listener(continuation: continuation)
                return state.nextListener
            }
            if let id {
                // Another thread was first to make one.
                source?.close()
                return id
            }
            source = makeListener { [weak self] in self?.refresh() }
            hasSource = true
        }
    }

    /// Reads the state again, and sends what has changed.
    private func refresh() {
        let look = state.withLock { state -> Int? in
            guard !state.listeners.isEmpty else { return nil }
            state.beganLooks += 1
            return state.beganLooks
        }
        guard let look else { return }
        let isConnected = isConnected()
        state.withLock { state in
            guard look > state.lastLook else { return }
            state.lastLook = look
            state.isConnected = isConnected
        }
        tell()
    }

    /// Sends the state to the listeners that do not have it, without the lock: a reader that waits may go on at once,
    /// on this thread.
    private func tell() {
        guard
            state.withLock({ state in
                defer { state.isTelling = true }
                return !state.isTelling
            })
        else { return }
        while let (status, continuations) = state.withLock({ $0.nextNews() }) {
            for continuation in continuations { continuation.yield(status) }
        }
    }

    private func remove(_ id: Int) {
        // Both are released outside the lock: the last reference to the source closes the descriptor.
        let (listener, source) = state.withLock { state -> (Listener?, NetlinkListener?) in
            let listener = state.listeners.removeValue(forKey: id)
            guard state.listeners.isEmpty else { return (listener, nil) }
            state.isConnected = nil
            // Looks that are under way come too late for the next listener.
            state.lastLook = state.beganLooks
            defer { state.source = nil }
            return (listener, state.source)
        }
        source?.close()
        _ = listener
    }
}
