extension MemoryCache {
    /// Finds an evicted value by its weak reference and gives it its place back.
    @usableFromInline
    func weaklyHeldValue(for key: Key, hash: Int, at now: Int64) -> Value? {
        let shard = shard(for: hash)
        let found = shard.withLock { table -> Entry? in
            let place = table.find(key, hash: hash)
            guard place >= 0 else { return nil }
            return table.entry(at: place)
        }
        guard var entry = found else { return nil }
        // The value is there if another thread gave it its place back since the caller looked. Rebuilding calls the
        // user's function, so no lock is held.
        let value = now < entry.expiresAt ? entry.value ?? entry.weak?.resolve() : nil
        shard.withLock { _ in
            if value == nil { shard.lock.misses &+= 1 } else { shard.lock.hits &+= 1 }
        }
        guard let value else { return nil }
        if entry.value == nil {
            if entry.lifetime > 0 {
                let (sum, overflows) = now.addingReportingOverflow(entry.lifetime)
                entry.expiresAt = overflows ? .max : sum
            }
            entry.value = value
            restore(entry)
        }
        return value
    }

    /// Puts a value found by its weak reference back, unless the entry was removed, replaced or put back meanwhile.
    private func restore(_ entry: Entry) {
        var dropped = Dropped()
        ledger.withLock {
            guard entry.cost <= ledger.costLimit, ledger.countLimit > 0 else { return }
            let ghost = shard(for: entry.hash).withLock { table -> Entry? in
                let place = table.find(entry.key, hash: entry.hash)
                guard place >= 0, let present = table.entry(at: place), present.serial == entry.serial,
                    present.value == nil
                else { return nil }
                return table.remove(at: place)
            }
            guard let ghost else { return }
            account(removed: ghost)
            add(entry, dropping: &dropped)
        }
        finish(dropped)
    }
}
