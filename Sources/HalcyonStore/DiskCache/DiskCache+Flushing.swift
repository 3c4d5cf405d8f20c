internal import HalcyonSystem

extension DiskCache {
    /// Writes the buffered entries, which were stored with ``Durability/none``, and the buffered uses of entries.
    ///
    /// - Throws: ``DiskCacheError`` if that fails; the entries are then dropped.
    public func flush() throws(DiskCacheError) {
        keepLimits(try writeBuffers())
    }

    /// Does the same, but leaves the limits to the caller, who may be about to keep them.
    ///
    /// - Returns: The totals with the entries that were written; `nil` if there were none.
    func writeBuffers() throws(DiskCacheError) -> DiskTotals? {
        let totals = try failing(.write) { try flushStaged() }
        do throws(DiskCacheError) {
            try writeTouches()
        } catch {
            keepLimits(totals)
            throw error
        }
        return totals
    }

    private func writeTouches() throws(DiskCacheError) {
        let pending = touches.withLock { $0.take() }
        guard !pending.isEmpty, let index = state.withLock({ $0.index }) else { return }
        try failing(.maintain) {
            guard isPresent(index) else { return }
            let now = now
            try index.write { connection in
                for (id, touch) in pending {
                    try connection.touch(id, touch, at: now)
                }
            }
        }
    }

    /// Writes some of the uses if neither another thread nor another process is writing, so that no look-up waits for
    /// one; else they stay buffered.
    func flushWithoutWaiting() {
        guard let index = state.withLock({ $0.index }) else { return }
        let pending = touches.withLock { $0.takeBatch() }
        let now = now
        do {
            let isWritten: Void? = try index.writeWithoutWaiting { connection in
                for (id, touch) in pending {
                    try connection.touch(id, touch, at: now)
                }
            }
            if isWritten != nil { return }
            touches.withLock { buffer in
                for (id, touch) in pending { buffer.putBack(touch, id: id) }
            }
        } catch {
            // Only recency is lost. The next call that needs the index meets the same error, and deals with it.
        }
    }
}
