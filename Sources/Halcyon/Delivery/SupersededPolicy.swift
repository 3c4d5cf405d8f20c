internal import HalcyonSystem

/// The fate of a load whose place another one takes, as in a view that is given the next image.
public enum SupersededPolicy: Sendable, Hashable, CaseIterable {
    /// The load is cancelled. Work that the new load shares with it goes on.
    case cancel
    /// The load goes on, so that its image comes into the caches.
    case finish
    /// The load goes on at ``LoadPriority/low``, or below if it was there.
    case finishAtLowPriority
}

extension ImageTask {
    /// Gives the work of this task up for another one that takes its place.
    ///
    /// - Parameters:
    ///   - next: That task; `nil` if there is none.
    ///   - policy: The fate of this task.
    package func supersede(by next: ImageTask?, policy: SupersededPolicy) {
        switch policy {
        case .cancel:
            if let next, next.request.source.hasTransfer(of: request.source) {
                // Not before the new load has joined the work, which would be cancelled and begun anew. Sources that
                // differ in their cache keys alone share the transfer.
                next.whenUnderWay { self.cancel() }
            } else {
                cancel()
            }
        case .finish: break
        case .finishAtLowPriority: priority = min(priority, .low)
        }
    }
}
