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

    private struct State {
        var isMetered: Bool
        /// What listeners were told last.
        var lastTold: NetworkStatus?
        var listeners: [Int: AsyncStream<NetworkStatus>.Continuation] = [:]
        var nextListener = 0
        var source: NetlinkListener?
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
        let id = state.withLock { state -> Int in
            if state.source == nil { state.source = makeListener { [weak self] in self?.refresh() } }
            // Looked at after the kernel is listened to, so that no change falls in between, and under the lock, so
            // that a change that comes at the same time is not overtaken by what was seen before it.
            let status = NetworkStatus(isConnected: isConnected(), isMetered: state.isMetered)
            tell(status, &state)
            state.nextListener += 1
            state.listeners[state.nextListener] = continuation
            continuation.yield(status)
            return state.nextListener
        }
        continuation.onTermination = { [weak self] _ in self?.remove(id) }
        return stream
    }

    private func refresh() {
        state.withLock { state in
            guard !state.listeners.isEmpty else { return }
            tell(NetworkStatus(isConnected: isConnected(), isMetered: state.isMetered), &state)
        }
    }

    private func tell(_ status: NetworkStatus, _ state: inout State) {
        guard state.lastTold != status else { return }
        state.lastTold = status
        for listener in state.listeners.values { listener.yield(status) }
    }

    private func remove(_ id: Int) {
        // Let go of outside the lock: the last reference closes the descriptor.
        let source = state.withLock { state -> NetlinkListener? in
            state.listeners[id] = nil
            guard state.listeners.isEmpty else { return nil }
            state.lastTold = nil
            defer { state.source = nil }
            return state.source
        }
        source?.close()
    }
}
