internal import HalcyonConcurrency

/// Knows the network of a Linux machine from its interfaces and routes.
///
/// It listens to the kernel (rtnetlink) only while somebody listens to ``statusUpdates``; in between it holds no
/// descriptor and no thread, and ``status`` looks when it is asked.
///
/// Whether the network is metered the kernel does not know: a program that does, sets ``isMetered``. What
/// NetworkManager thinks of it is not asked, as that would take a D-Bus connection.
public final class NetworkMonitor: NetworkMonitoring {
    /// The monitor for programs that need only one.
    public static let shared = NetworkMonitor()

    private struct Listener {
        let continuation: AsyncStream<NetworkStatus>.Continuation
        /// The last state it was told.
        var told: NetworkStatus?
    }

    private struct State {
        var isMetered: Bool
        /// What was seen last; `nil` if nobody has looked since the first listener came.
        var isConnected: Bool?
        /// Looks begun, and the number of the one that `isConnected` is from. An earlier look that ends later counts for
        /// nothing.
        var beganLooks = 0
        var lastLook = 0
        var listeners: [Int: Listener] = [:]
        var nextListener = 0
        var source: NetlinkListener?
        /// Whether a thread is telling listeners. It also tells what changes meanwhile, so that each is told in order.
        var isTelling = false

        /// The state, and those who are to be told of it; `nil`, which ends the telling, if there are none.
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

    /// A monitor of this machine's network; default: not metered.
    public convenience init(isMetered: Bool = false) {
        self.init(
            isMetered: isMetered,
            isConnected: { NetworkInterfaces.areConnected },
            makeListener: { NetlinkListener(onChange: $0) }
        )
    }

    /// A monitor whose knowledge comes from elsewhere.
    package init(
        isMetered: Bool,
        isConnected: @escaping @Sendable () -> Bool,
        makeListener: @escaping @Sendable (_ onChange: @escaping @Sendable () -> Void) -> NetlinkListener?
    ) {
        state = Lock(State(isMetered: isMetered))
        self.isConnected = isConnected
        self.makeListener = makeListener
    }

    /// Whether bytes cost money, as the program says.
    public var isMetered: Bool {
        get { state.withLock { $0.isMetered } }
        set {
            state.withLock { $0.isMetered = newValue }
            refresh()
        }
    }

    /// The present state, looked up now; it takes about a tenth of a millisecond.
    public var status: NetworkStatus {
        NetworkStatus(isConnected: isConnected(), isMetered: isMetered)
    }

    /// Whether it listens to the kernel.
    package var isListening: Bool { state.withLock { $0.source != nil } }

    /// The present state, then each change, until the stream is let go of. A slow reader gets the latest state.
    public var statusUpdates: AsyncStream<NetworkStatus> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: NetworkStatus.self,
            bufferingPolicy: .bufferingNewest(1)
        )
        let id = add(continuation)
        continuation.onTermination = { [weak self] _ in self?.remove(id) }
        // After the kernel is listened to, so that no change falls in between.
        refresh()
        return stream
    }

    /// Takes in a listener, and listens to the kernel if nothing else does.
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
                // One that somebody else was quicker with.
                source?.close()
                return id
            }
            source = makeListener { [weak self] in self?.refresh() }
            hasSource = true
        }
    }

    /// Looks again, and tells what has changed.
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

    /// Tells the state to the listeners that have not been told, without the lock: a reader that waits may go on at once, on
    /// this thread.
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
        // Both are let go of outside the lock: the last reference to the source closes the descriptor.
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
