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
