internal import HalcyonStore
internal import HalcyonSystem

extension ImageCache {
    /// Halves the images in memory when it runs short, or evicts all if it is critical, and so memory kept for later images.
    ///
    /// - Returns: The subscription, which ends when it is released.
    static func trim(
        _ memory: MemoryCache<ImageKey, CachedImage>,
        asReportedBy monitor: MemoryPressureMonitor
    ) -> MemoryPressureMonitor.Subscription {
        monitor.addHandler { [weak memory] pressure in
            let pool = MemoryPool.shared
            switch pressure {
            case .warning:
                if let memory { memory.trim(to: memory.statistics.cost / 2) }
                pool.trim(to: pool.statistics.keptByteCount / 2)
            case .critical:
                memory?.trim()
                pool.trim()
            }
        }
    }
}
