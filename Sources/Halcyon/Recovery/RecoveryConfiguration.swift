public import HalcyonHTTP

/// The parts that a pipeline recovers from failures with.
public struct RecoveryConfiguration: Sendable {
    /// The monitor that knows whether there is a network, and whether it is metered. Default:
    /// ``NetworkMonitor/shared``.
    public var network: any NetworkMonitoring
    /// The clock that measures waits. Default: the continuous clock.
    public var clock: any Clock<Duration>
    /// The generator of the random numbers of strategies. Default: the system's generator.
    public var generator: any RandomNumberGenerator & Sendable
    /// The memory of failures, which are not repeated while it has them. Default: `nil`, which is none.
    public var failureMemory: FailureMemory?
    /// The circuit breaker, which stops requests to servers that are down. Default: `nil`, which is none.
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
