internal import HalcyonConcurrency
internal import HalcyonHTTP

/// What a loader recovers from failures with.
final class Recovery: Sendable {
    /// What no strategy goes beyond.
    private static let maximumAttempts = 100

    let network: any NetworkMonitoring
    private let clock: any Clock<Duration>
    private let generator: Lock<any RandomNumberGenerator & Sendable>
    private let failureMemory: FailureMemory?
    private let circuitBreaker: CircuitBreaker?

    init(_ configuration: RecoveryConfiguration) {
        network = configuration.network
        clock = configuration.clock
        generator = Lock(configuration.generator)
        failureMemory = configuration.failureMemory
        circuitBreaker = configuration.circuitBreaker
    }

    /// Gets a source's bytes, with all that the options and the configuration want done about failures.
    ///
    /// - Throws: The error of the last attempt, or `CancellationError` as soon as the task is cancelled.
    func load<Value>(_ request: LoadRequest, _ attempt: () async throws -> Value) async throws -> Value {
        guard case .network(let transfer) = request.source.location, request.options.network.isAllowed else {
            return try await attempts(request.options.recovery.retry, of: request.source, attempt)
        }
        if let error = rememberedFailure(of: request) { throw error }
        return try await loadThroughCache(request) { try await exchange(transfer, attempt) }
    }

    /// The same where an attempt may do without the server: whoever makes one asks ``rememberedFailure(of:)`` before
    /// anything is sent, and sends within ``exchange(_:_:)``.
    func loadThroughCache<Value>(_ request: LoadRequest, _ attempt: () async throws -> Value) async throws -> Value {
        do {
            return try await attempts(request.options.recovery.retry, of: request.source, attempt)
        } catch let error as ImageError {
            remember(error, of: request)
            throw error
        }
    }

    /// Why a request need not be sent; `nil` if nothing is known against it, or the options want it anew.
    func rememberedFailure(of request: LoadRequest) -> ImageError? {
        guard case .network(let transfer) = request.source.location, request.options.cache.reads != .none,
            var error = failureMemory?.failure(for: transfer)
        else { return nil }
        error.reason = .failedBefore(error.reason)
        return error
    }

    /// Remembers that the bytes of a request turned out to be no use.
    func remember(_ error: ImageError, of request: LoadRequest) {
        guard case .network(let transfer) = request.source.location else { return }
        failureMemory?.record(error, for: transfer)
    }

    /// Sends a request if the circuit of its server lets it, tells the circuit how it went, and forgets an earlier failure
    /// after a success.
    func exchange<Value>(_ transfer: TransferRequest, _ attempt: () async throws -> Value) async throws -> Value {
        guard let circuitBreaker, let permit = try circuitBreaker.admit(transfer) else {
            let value = try await attempt()
            failureMemory?.forget(transfer)
            return value
        }
        do {
            let value = try await attempt()
            circuitBreaker.succeeded(permit)
            failureMemory?.forget(transfer)
            return value
        } catch let error as ImageError where !Task.isCancelled {
            circuitBreaker.failed(permit, error)
            throw error
        } catch {
            circuitBreaker.abandoned(permit)
            throw error
        }
    }

    /// Makes attempts to get a source's bytes until one succeeds or the strategy ends it.
    ///
    /// - Throws: The error of the last attempt, or `CancellationError` as soon as the task is cancelled, be it during an
    ///   attempt or a wait.
    private func attempts<Value>(
        _ strategy: (any RetryStrategy)?,
        of source: Source,
        _ attempt: () async throws -> Value
    ) async throws -> Value {
        guard let strategy else { return try await attempt() }
        var errors: [ImageError] = []
        while true {
            do {
                return try await attempt()
            } catch let error as ImageError {
                // What failed because it was cancelled is not tried again, whatever error it comes with.
                try Task.checkCancellation()
                guard errors.count + 1 < Self.maximumAttempts else { throw error }
                let context = RetryContext(
                    source: source,
                    error: error,
                    previousErrors: errors,
                    randomFraction: randomFraction()
                )
                let decision = await strategy.decide(context)
                try Task.checkCancellation()
                guard try await wait(decision, for: source) else { throw error }
                errors.append(error)
            }
        }
    }

    /// Waits as decided.
    ///
    /// - Returns: Whether there is to be another attempt.
    /// - Throws: `CancellationError`.
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
        if delay > .zero { try await clock.sleep(for: delay) }
    }

    private func randomFraction() -> Double {
        generator.withLock { Double($0.next() >> 11) * 0x1p-53 }
    }
}

extension Source {
    /// Whether the source can be had without a network.
    var isOnThisMachine: Bool {
        switch location {
        case .network(let request): request.isForThisMachine
        case .file, .data, .provider, .invalid: true
        }
    }
}
