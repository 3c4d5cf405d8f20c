import Dispatch
import HalcyonHTTP

/// Where a callback finds the transfer that it belongs to, even if it comes before `start` has returned.
///
/// Unchecked: `transfer` is written once, before the semaphore is signalled.
final class TransferSlot: @unchecked Sendable {
    private let semaphore = DispatchSemaphore(value: 0)
    private var transfer: (any Transfer)?

    func fill(_ transfer: any Transfer) {
        self.transfer = transfer
        semaphore.signal()
    }

    /// Blocks until it is filled; may be called again.
    func wait() -> any Transfer {
        semaphore.wait()
        semaphore.signal()
        guard let transfer else { preconditionFailure("signalled without a transfer") }
        return transfer
    }
}
