public import HalcyonHTTP

/// What a pipeline recovers from failures with.
public struct RecoveryConfiguration: Sendable {
    /// Tells whether there is a network, and whether it is metered. Default: ``NetworkMonitor/shared``.
    public var network: any NetworkMonitoring
    /// What waits are measured with. Default: the continuous clock.
    public var clock: any Clock<Duration>
    /// Where strategies get their chance from. Default: the system's generator.
    public var generator: any RandomNumberGenerator & Sendable
    /// Spares servers questions whose answer is known. Default: `nil`, which is none.
    public var failureMemory: FailureMemory?
    /// Leaves servers alone that are down. Default: `nil`, which is none.
    public var circuitBreaker: CircuitBreaker?

    /// A configuration with a default for everything.
    public init(
        network: any NetworkMonitoring = NetworkMonitor.shared,
        clock: any Clock<Duration> = ContinuousClock(),
        generator: any RandomNumberGenerator & Sendable = SystemRandomNumberGenerator(),
        failureMemory: FailureMemory? = nil,
        circuitBreaker: CircuitBreaker? = nil
    ) {
        self.network = network
        self.clock = clock
        self.generator = generator
        self.failureMemory = failureMemory
        self.circuitBreaker = circuitBreaker
    }
}
