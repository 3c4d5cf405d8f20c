extension MemoryCache {
    /// Describes violations of the cache's invariants: none, unless the cache has a defect. For tests. Complexity:
    /// O(n).
    package func brokenInvariants() -> [String] {
        ledger.withLock {
            var problems: [String] = []
            var cost = 0
            var count = 0
            var weakCount = 0
            for (index, table) in tables.enumerated() {
                problems += table.brokenInvariants()
                for entry in (0..<table.placeCount).compactMap(table.entry) {
                    if shardIndex(for: entry.hash) != index { problems.append("an entry is in a wrong shard") }
                    if entry.value != nil {
                        cost += entry.cost
                        count += 1
                    } else {
                        weakCount += 1
                    }
                }
            }
            if cost != ledger.cost { problems.append("costs sum up to \(cost), not \(ledger.cost)") }
            if count != ledger.count { problems.append("\(count) values are held, not \(ledger.count)") }
            if weakCount != ledger.weakCount { problems.append("\(weakCount) are weak, not \(ledger.weakCount)") }
            if ledger.cost > ledger.costLimit { problems.append("the cost is above its limit") }
            if ledger.count > ledger.countLimit { problems.append("the count is above its limit") }
            return problems
        }
    }
}

extension MemoryTable {
    /// Describes violations of the table's invariants; see those of the cache.
    func brokenInvariants() -> [String] {
        var problems: [String] = []
        if (0..<bucketCount).count(where: { buckets[$0].next != 0 }) != count {
            problems.append("buckets and entries differ in number")
        }
        if count * 2 > bucketCount { problems.append("the table is more than half full") }
        for place in 0..<placeCount {
            guard let entry = entry(at: place) else { continue }
            if find(entry.key, hash: entry.hash) != place { problems.append("an entry is not found at its place") }
            if entry.value == nil, entry.weak == nil { problems.append("an entry holds nothing") }
        }
        if (0..<placeCount).count(where: { states[$0].isTaken }) != count {
            problems.append("taken places and entries differ in number")
        }
        var free = firstFree
        var freeCount = 0
        while free >= 0, freeCount <= placeCount {
            if states[free].isTaken { problems.append("a free place is taken") }
            if states[free].expiresAt != .max { problems.append("a free place expires") }
            free = states[free].serial
            freeCount += 1
        }
        if freeCount != placeCount - count { problems.append("free places are lost") }
        return problems
    }
}
