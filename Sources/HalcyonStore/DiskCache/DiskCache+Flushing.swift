internal import HalcyonSystem

extension DiskCache {
    /// Writes the buffered entries, which were stored with ``Durability/none``, and the buffered uses of entries. The
    /// latter stay buffered while another thread or process is writing: nothing waits for them.
    ///
    /// - Throws: ``DiskCacheError`` if that fails; the entries are then dropped.
    public func flush() throws(DiskCacheError) {
        keepLimit(try writeBuffers())
    }

    /// Does the same, but leaves the limit to the caller, who may be about to keep it.
    ///
    /// - Returns: The totals with the entries that were written; `nil` if there were none.
    func writeBuffers() throws(DiskCacheError) -> DiskTotals? {
        let totals = try failing(.write) { try flushStaged() }
        if let index = state.withLock({ $0.index }), isPresent(index) {
            write(touches.withLock { $0.take() }, to: index)
        }
        return totals
    }

    /// Writes some of the uses if neither another thread nor another process is writing, so that no look-up waits for
    /// one; else they stay buffered.
    func flushWithoutWaiting() {
        guard let index = state.withLock({ $0.index }) else { return }
        write(touches.withLock { $0.takeBatch() }, to: index)
    }

    private func write(_ pending: [(id: Int64, touch: DiskTouch)], to index: DiskIndex) {
        guard !pending.isEmpty else { return }
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
