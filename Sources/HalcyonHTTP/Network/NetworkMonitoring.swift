internal import HalcyonSystem

/// Reports the state of the network, and its changes: ``NetworkMonitor`` by asking the system, a test by setting it.
public protocol NetworkMonitoring: Sendable {
    /// The present state.
    var status: NetworkStatus { get }

    /// A Boolean value that indicates whether bytes cost money at present, which each load asks that may not use a metered
    /// network.
    ///
    /// There is a default: that of ``status``.
    var isMetered: Bool { get }

    /// The state from now on: the present one first, then each change, until the stream is released.
    var statusUpdates: AsyncStream<NetworkStatus> { get }
}

extension NetworkMonitoring {
    /// That of ``status``.
    public var isMetered: Bool { status.isMetered }

    /// Waits until the network is connected; returns at once if it is.
    ///
    /// - Parameters:
    ///   - timeout: The longest time to wait; `nil`: as long as it takes.
    ///   - clock: The clock that measures the timeout. Default: the continuous clock.
    /// - Returns: `true` once it is connected; `false` if the time was over before.
    /// - Throws: `CancellationError` as soon as the task is cancelled.
    public func waitUntilConnected(
        timeout: Duration? = nil,
        clock: any Clock<Duration> = ContinuousClock()
    ) async throws -> Bool {
        try Task.checkCancellation()
        if status.isConnected { return true }
        // The first of the two to end decides, and ends the other: there is one answer, and nothing comes after it.
        return try await withThrowingTaskGroup(of: Bool.self) { group in
            // The stream begins with the present state, so that a change between the look above and now is not missed.
            // It lives in the child alone: the monitor stops listening as soon as that ends.
            group.addTask {
                for await status in statusUpdates where status.isConnected { return true }
                return false
            }
            if let timeout {
                group.addTask {
                    try await clock.sleep(upTo: timeout)
                    return false
                }
            }
            defer { group.cancelAll() }
            let isConnected = try await group.next() ?? false
            try Task.checkCancellation()
            return isConnected
        }
    }
}

/// The known state of the network that this machine is on.
public struct NetworkStatus: Sendable, Hashable {
    /// A Boolean value that indicates whether other machines can be reached, as far as this one's interfaces and routes
    /// show. It says nothing of any single server.
    public var isConnected: Bool
    /// A Boolean value that indicates whether bytes cost money, or are limited.
    public var isMetered: Bool

    /// Creates a state of the network.
    public init(isConnected: Bool, isMetered: Bool) {
        self.isConnected = isConnected
        self.isMetered = isMetered
    }
}
