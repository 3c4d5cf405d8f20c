/// The state of a load at one moment.
///
/// A load goes from ``waiting`` to ``running(_:)``, and ends in exactly one of the other states, which then stays.
public enum LoadState<Value: Sendable>: Sendable {
    /// No stage of the load has begun.
    case waiting
    /// The load is under way. The value is the furthest of its stages that have begun; a load that goes back to an
    /// earlier stage, such as one that tries an alternative source, stays in this state.
    case running(ImageError.Stage)
    /// The load has succeeded.
    case finished(Value)
    /// The load has failed. The error is an ``ImageError``.
    case failed(any Error)
    /// The load has been cancelled.
    case cancelled

    /// A Boolean value that indicates whether the load has ended, in whichever way.
    public var hasEnded: Bool {
        switch self {
        case .waiting, .running: false
        case .finished, .failed, .cancelled: true
        }
    }

    init(_ result: Result<Value, any Error>) {
        switch result {
        case .success(let value): self = .finished(value)
        case .failure(is CancellationError): self = .cancelled
        case .failure(let error): self = .failed(error)
        }
    }
}

/// An event of a load. ``finished(_:)`` comes exactly once, after all others.
public enum LoadEvent<Value: Sendable>: Sendable {
    /// A stage has begun. Each stage is reported at most once, in the order of the stages; those that a load does not
    /// need are left out.
    case began(ImageError.Stage)
    /// Bytes have been received. The numbers are those of the shared transfer, also for a load that joined it.
    case progress(ImageProgress)
    /// The load has ended. The error is an ``ImageError``, or `CancellationError` if the load was cancelled.
    case finished(Result<Value, any Error>)
}
