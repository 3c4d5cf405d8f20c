import Dispatch

/// Blocks the threads that come to it until it is opened, for code that cannot await.
final class DispatchGate: Sendable {
    private let semaphore = DispatchSemaphore(value: 0)

    func open() { semaphore.signal() }

    /// Returns once the gate is open.
    func wait() {
        semaphore.wait()
        semaphore.signal()
    }
}
