internal import HalcyonSystem

/// A retry strategy with a closure. Two with the same identifier are taken to be the same.
public struct CustomRetryStrategy: RetryStrategy {
    /// The name of the strategy, with each value that its closure uses. Loads of one image share their attempts where
    /// their strategies have equal names.
    public let identifier: String
    private let decision: @Sendable (RetryContext) async -> RetryDecision

    /// Creates a strategy.
    ///
    /// - Parameters:
    ///   - identifier: The name of the strategy, with each value that the closure uses, such as "nightly-5".
    ///   - decision: Returns the step that follows a failure, as ``RetryStrategy/decide(_:)`` does.
    public init(_ identifier: String, decision: @escaping @Sendable (RetryContext) async -> RetryDecision) {
        self.identifier = identifier
        self.decision = decision
    }

    /// Returns the result of the closure.
    public func decide(_ attempt: RetryContext) async -> RetryDecision {
        await decision(attempt)
    }

    /// Returns whether both have the same identifier, byte by byte.
    public static func == (left: CustomRetryStrategy, right: CustomRetryStrategy) -> Bool {
        ExactString(left.identifier) == ExactString(right.identifier)
    }

    /// Hashes the identifier.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(ExactString(identifier))
    }
}

extension RetryStrategy where Self == CustomRetryStrategy {
    /// Returns a strategy that asks a closure.
    ///
    /// ```swift
    /// .retry(.custom("once-later") { attempt in attempt.attemptCount < 2 ? .retry(after: .seconds(60)) : .stop })
    /// ```
    ///
    /// - Parameters:
    ///   - identifier: The name of the strategy, with each value that the closure uses.
    ///   - decision: Returns the step that follows a failure.
    public static func custom(
        _ identifier: String,
        decision: @escaping @Sendable (RetryContext) async -> RetryDecision
    ) -> CustomRetryStrategy {
        CustomRetryStrategy(identifier, decision: decision)
    }
}
