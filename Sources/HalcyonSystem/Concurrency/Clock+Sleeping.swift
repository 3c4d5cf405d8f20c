extension Clock where Duration == Swift.Duration {
    /// Sleeps as `sleep(for:)` does, and for 136 years at the most.
    ///
    /// The clocks of the standard library end the process where the end of a sleep is beyond what they can express, as
    /// that of `.seconds(Int64.max)` is, by which a program may say "never".
    ///
    /// - Throws: `CancellationError`.
    package func sleep(upTo duration: Duration) async throws {
        try await sleep(for: min(duration, .seconds(1 << 32)))
    }
}
