internal import HalcyonSystem

extension MemoryCache {
    /// Describes violations of the cache's invariants: none, unless the cache has a defect. For tests. Complexity:
    /// O(n).
    package func brokenInvariants() -> [String] {
        ledger.withLock { ledger in
            var problems: [String] = []
            var cost = 0
            var count = 0
            var weakCount = 0
            for (index, shard) in shards.map({ $0.withLock(\.self) }).enumerated() {
                problems += shard.brokenInvariants()
                for entry in shard.entries {
                    guard let key = entry.key else { continue }
                    if shardIndex(of: key) != index { problems.append("an entry is in a wrong shard") }
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

extension MemoryShard {
    /// Describes violations of the shard's invariants; see those of the cache.
    func brokenInvariants() -> [String] {
        var problems: [String] = []
        for (place, entry) in entries.enumerated() {
            guard let key = entry.key else {
                if entry.value != nil || entry.weak != nil { problems.append("a free place holds something") }
                if !freePlaces.contains(place) { problems.append("a free place is lost") }
                continue
            }
            if places[key] != place { problems.append("an entry is not found at its place") }
            if entry.value == nil, entry.weak == nil { problems.append("an entry holds nothing") }
        }
        if places.count + freePlaces.count != entries.count {
            problems.append("places are lost")
        }
        return problems
    }
}
