internal import HalcyonHTTP
internal import HalcyonSystem

extension Recovery {
    /// The maximum number of attempts, whatever the strategy.
    private static let maximumAttempts = 100

    /// Makes attempts to get a source's bytes until one succeeds or the strategy ends it.
    ///
    /// - Throws: The error of the last attempt, or `CancellationError` as soon as the task is cancelled, be it during
    ///   an attempt or a wait.
    func retrying<Value>(
        _ request: ResolvedRequest,
        _ work: WorkContext,
        _ attempt: () async throws -> Value
    ) async throws -> Value {
        guard let strategy = request.options.recovery.retry else { return try await attempt() }
        let source = request.source
        var errors: [ImageError] = []
        while true {
            do {
                return try await attempt()
            } catch let error as ImageError {
                // An attempt that failed because it was cancelled is not repeated, whatever its error.
                try Task.checkCancellation()
                guard errors.count + 1 < Self.maximumAttempts else { throw error }
                let context = RetryContext(
                    source: source,
                    error: error,
                    previousErrors: errors,
                    randomFraction: await fractions.next()
                )
                let decision = await strategy.decide(context)
                try Task.checkCancellation()
                if decision != .stop { work.note(.retrying(after: error)) }
                guard try await wait(decision, for: source) else { throw error }
                errors.append(error)
            }
        }
    }

    /// Waits as decided.
    private func wait(_ decision: RetryDecision, for source: Source) async throws -> Bool {
        switch decision {
        case .stop:
            return false
        case .retry(let delay):
            try await sleep(delay)
        case .retryWhenConnected(let delay, let timeout):
            if network.status.isConnected || source.isOnThisMachine {
                try await sleep(delay)
            } else {
                guard try await network.waitUntilConnected(timeout: timeout, clock: clock) else { return false }
            }
        }
        try Task.checkCancellation()
        return true
    }

    private func sleep(_ delay: Duration) async throws {
        if delay > .zero { try await clock.sleep(upTo: delay) }
    }
}

/// The random numbers of a generator, one after the other. An actor and no lock, because the generator is code of the
/// user: tasks that wait for a slow one block no thread.
actor RandomFractions {
    private var generator: any RandomNumberGenerator & Sendable

    init(_ generator: any RandomNumberGenerator & Sendable) {
        self.generator = generator
    }

    /// Returns a number in 0..<1.
    func next() -> Double { Double(generator.next() >> 11) * 0x1p-53 }
}
