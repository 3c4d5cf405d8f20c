extension MemoryCache {
    /// Finds an evicted value by its weak reference and gives it its place back.
    @usableFromInline
    func weaklyHeldValue(for key: Key, hash: Int, at now: Int64) -> Value? {
        let shard = shardIndex(for: hash)
        let slot = gate.enter(shard)
        let found = withTable(shard) { table -> Entry? in
            let place = table.find(key, hash: hash)
            return place < 0 ? nil : table.entry(at: place)
        }
        guard var entry = found else {
            gate.leave(slot, with: .miss)
            return nil
        }
        gate.leave(slot, with: .other)
        // The value is there if another thread gave it its place back since the caller looked. Rebuilding calls the
        // user's function, so the shard is not being read.
        let value = now < entry.expiresAt ? entry.value ?? entry.weak?.resolve() : nil
        gate.leave(gate.enter(shard), with: value == nil ? .miss : .hit)
        guard let value else { return nil }
        if entry.value == nil {
            if entry.lifetime > 0 {
                let (sum, overflows) = now.addingReportingOverflow(entry.lifetime)
                entry.expiresAt = min(overflows ? .max : sum, entry.latest)
            }
            entry.value = value
            restore(entry, at: now)
        }
        return value
    }

    /// Puts a value found by its weak reference back, unless the entry was removed, replaced or put back meanwhile.
    private func restore(_ entry: Entry, at now: Int64) {
        var dropped = Dropped()
        ledger.withLock {
            guard entry.cost <= ledger.costLimit, ledger.countLimit > 0 else { return }
            let shard = shardIndex(for: entry.hash)
            let table = tables[shard]
            let place = table.find(entry.key, hash: entry.hash)
            guard place >= 0, table.states[place].serial == entry.serial, table.entries[place].value == nil else {
                return
            }
            _ = removeEntry(at: place, of: shard)
            makeRoom(for: entry.cost, at: now, dropping: &dropped)
            add(entry)
        }
        finish(dropped)
    }
}
