internal import HalcyonConcurrency

extension StoreOrder {
    /// Returns whether a change may be made now, which then counts as made.
    ///
    /// - Parameters:
    ///   - permits: The permits of the work, in the order of its stages: the last is that of the content.
    ///   - age: The age of the content, if it is older than the work: it came with a transfer that began before, or was
    ///     read from the cache.
    ///   - item: The item that is changed.
    ///   - companion: Another item under the same name, which newer work must not have changed either.
    ///   - tier: Memory or disk.
    func admits(
        _ permits: [StorePermit],
        _ age: ContentAge,
        _ item: Item,
        with companion: Item? = nil,
        in tier: Tiers
    ) -> Bool {
        guard let work = StoringWork(permits, age), !work.missed.tiers.contains(tier) else { return false }
        return state.withLock { state in
            let clearing = max(state.clearing.time(of: tier), state.names[work.name]?.clearing.time(of: tier) ?? 0)
            guard let record = state.names[work.name], work.begin > record.floor, work.begin > clearing,
                !record.isAbsent(after: work),
                !age.isFromCache
                    || (state.reads.areValid(since: work.begin) && record.reads.areValid(since: work.begin)),
                !age.isFromMemory || state.memoryReads.areValid(since: work.begin)
            else { return false }
            let items = [item, companion].compactMap(\.self).flatMap(record.itemsAffecting)
            let hasLater = items.flatMap(NameRecord.Location.all(of:)).contains {
                record.hasChange(at: $0, after: work)
            }
            guard !hasLater else { return false }
            state.names[work.name]?.note(work.change, at: NameRecord.Location(item: item, tier: tier))
            return true
        }
    }

    /// Returns whether an original may be stored on disk now, under a name under which newer work has stored nothing at
    /// all; it then counts as stored.
    func admitsUnchanged(_ permits: StorePermits) -> Bool {
        guard let permit = permits[self], let work = StoringWork([permit], .new), !work.missed.tiers.contains(.disk)
        else { return false }
        return state.withLock { state in
            guard let record = state.names[work.name], work.begin > record.floor,
                work.begin > max(state.clearing.time(of: .disk), record.clearing.time(of: .disk)),
                !record.isAbsent(after: work),
                !record.changes.keys.contains(where: { record.hasChange(at: $0, after: work) })
            else { return false }
            state.names[work.name]?.note(work.change, at: NameRecord.Location(item: .original, tier: .disk))
            return true
        }
    }

    /// Returns whether an item has to be removed because it may be older than content that must not be stored there. It
    /// then counts as removed. That is so if the other tier has an item newer than both, or if everything was removed
    /// since, and the item came back from the other tier.
    ///
    /// The parameters are those of ``admits(_:_:_:with:in:)``.
    func admitsRemoval(_ permits: [StorePermit], _ age: ContentAge, _ item: Item, in tier: Tiers) -> Bool {
        guard !age.isFromCache, let work = StoringWork(permits, age), !work.missed.isReplaced,
            tier == .memory || !work.missed.tiers.contains(.disk)
        else { return false }
        return state.withLock { state in
            guard let record = state.names[work.name], work.begin > record.floor else { return false }
            // Entries on disk since it was cleared were stored by newer work. Entries in memory may have come from the
            // disk.
            let clearing = max(state.clearing.time(of: .disk), record.clearing.time(of: .disk))
            guard tier == .memory || work.begin > clearing else { return false }
            let locations = record.itemsAffecting(item).map { NameRecord.Location(item: $0, tier: tier) }
            guard !locations.contains(where: { record.hasChange(at: $0, after: work) }) else { return false }
            state.names[work.name]?.note(work.change, at: NameRecord.Location(item: item, tier: tier))
            return true
        }
    }

    /// Returns the items on disk that newer work than this has changed, and that stay when all others under its name are
    /// removed because its server does not have the original any more; `nil` if all of them stay.
    func newerItems(than permits: [StorePermit], _ age: ContentAge) -> Set<Item>? {
        guard let work = StoringWork(permits, age), !work.missed.isReplaced, !work.missed.tiers.contains(.disk) else {
            return nil
        }
        return state.withLock { state in
            // Entries on disk since it was cleared were stored by newer work.
            guard let record = state.names[work.name], work.begin > record.floor,
                work.begin > max(state.clearing.time(of: .disk), record.clearing.time(of: .disk))
            else { return nil }
            let locations = record.changes.keys.filter { $0.tier == .disk && record.hasChange(at: $0, after: work) }
            return Set(locations.map(\.item))
        }
    }
}
