internal import FoundationEssentials
internal import HalcyonSystem

extension DiskCache {
    /// Counts of the cache. Complexity: O(log n), and O(n) in the number of expired entries.
    public func statistics() throws(DiskCacheError) -> Statistics {
        try failing(.maintain) {
            try flush()
            let limit = try resolvedSizeLimit()
            return try withIndex { index in
                try index.read { connection in
                    let find = try connection.statement(
                        """
                        SELECT count(*) FROM entry
                        WHERE due_at <= ?1 AND due_at < 9223372036854775807 AND expires_at <= ?1
                        """
                    )
                    defer { find.reset() }
                    find.bind(now.microseconds, at: 1)
                    _ = try find.step()
                    let totals = try connection.totals()
                    return Statistics(
                        count: totals.count,
                        bytes: totals.bytes,
                        inlineCount: totals.inlineCount,
                        fileCount: totals.fileCount,
                        expiredCount: Int(find.integer(0)),
                        sizeLimit: limit
                    )
                }
            }
        }
    }
}
