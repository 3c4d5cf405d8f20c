/// An error in letting GLib's main loop run the main actor.
public enum MainLoopError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The main actor does not run on the first thread of the process, where GTK has to run: an asynchronous `main` was
    /// suspended before.
    case notOnMainThread
    /// The system's Dispatch library offers no descriptor for its main queue.
    case unavailable

    /// A sentence that describes the failure.
    public var description: String {
        switch self {
        case .notOnMainThread: "The main actor no longer runs on the main thread; run GTK before the first `await`"
        case .unavailable: "This system's Dispatch library cannot be run by another main loop"
        }
    }
}
