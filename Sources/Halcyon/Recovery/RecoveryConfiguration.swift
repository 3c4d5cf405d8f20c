public import HalcyonHTTP

/// What a pipeline recovers from failures with.
public struct RecoveryConfiguration: Sendable {
    /// Tells whether there is a network, and whether it is metered. Default: ``NetworkMonitor/shared``.
    public var network: any NetworkMonitoring
    /// What waits are measured with. Default: the continuous clock.
    public var clock: any Clock<Duration>
    /// Where strategies get their chance from. Default: the system's generator.
    public var generator: any RandomNumberGenerator & Sendable

    /// A configuration with a default for everything.
    public init(
        network: any NetworkMonitoring = NetworkMonitor.shared,
        clock: any Clock<Duration> = ContinuousClock(),
        generator: any RandomNumberGenerator & Sendable = SystemRandomNumberGenerator()
    ) {
        self.network = network
        self.clock = clock
        self.generator = generator
    }
}
