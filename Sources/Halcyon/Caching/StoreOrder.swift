internal import HalcyonConcurrency

/// Decides which results a cache accepts from work in progress: nothing that was in progress when its item was removed
/// is stored again, and the result of older work never replaces that of newer work.
///
/// Each piece of work that may store something gets a permit when it begins. Changes are recorded under the name of the
/// original for as long as there are permits for that name, so that the records end with the work. A load of which not all names
/// are known when it begins is an ``OpenLoad`` until it ends.
///
/// An answer by which the server does not have an original any more counts as a change of all items under its name.
///
/// Loads share work that began before them. Each permit says since when: work that a removal, a store or a forced
/// refresh made outdated is not shared with loads that begin afterwards.
///
/// Admission is asked for at the last moment, when nothing can come between: for memory under the lock of its changes,
/// for disk on the thread that makes all changes. A removal is recorded first and made then. Nothing else is locked
/// under the lock of this type.
final class StoreOrder: Sendable {
    /// An item that is stored under the name of an original.
    enum Item: Hashable, Sendable {
        /// The image of a key, in memory, and on disk if it is the result of processing.
        case image(ImageKey)
        /// The original on disk, with all of its representations.
        case original
        /// One of the representations that an original has for different requests.
        case representation(String)
    }

    typealias Tiers = ImageCache.Tiers

    /// The items that a removal covers.
    enum Scope: Sendable {
        case everything
        /// All items under names that begin with a prefix.
        case names(beginningWith: String)
        /// All items under a name.
        case name(String)
    }

    /// A removal in progress.
    struct Removal: Sendable {
        /// Keeps the records of the name, if the removal has one.
        fileprivate let permit: StorePermit?

        /// The permits to store what replaces the removed items.
        var permits: StorePermits? { permit.map { StorePermits($0) } }
    }

    struct State {
        var names: [ExactString: NameRecord] = [:]
        var clearing = Clearing()
        var reads = CacheReads()
        /// The removals from memory alone.
        var memoryReads = CacheReads()
        /// The number before which work is not shared with loads of names that have no record.
        var sharedSince: UInt64 = 0
        var openLoads = OpenLoads()

        /// - Parameter begun: The ``WorkNumber`` of the request, if the name was not known then; `nil`: now.
        mutating func begin(
            _ name: ExactString,
            _ kind: StorePermit.Kind,
            begun: UInt64? = nil
        ) -> (number: UInt64, sharesSince: UInt64, missed: MissedChanges) {
            let number = WorkNumber.next()
            let since = names[name, default: NameRecord(sharedSince: sharedSince)].begin(number, kind)
            let missed = begun.map { openLoads.changes(of: name, since: $0) } ?? MissedChanges()
            if kind == .replacement { openLoads.note(.name(name.text), .all, at: number, isReplacement: true) }
            return (number, since, missed)
        }

        mutating func end(_ name: ExactString, _ number: UInt64, _ kind: StorePermit.Kind) {
            // The name is long, and a record large: looked up once, and not copied.
            guard let index = names.index(forKey: name) else { return }
            names.values[index].end(number, kind)
            guard names.values[index].permits.isEmpty else { return }
            // Downloads outside a pipeline have no permits, and may be in progress.
            sharedSince = max(sharedSince, names.values[index].sharedSince)
            names.remove(at: index)
        }

        mutating func note(_ scope: Scope, _ tiers: Tiers) {
            let time = WorkNumber.next()
            let covered =
                switch scope {
                case .everything: Array(names.keys)
                case .names(let prefix): names.keys.filter { $0.text.utf8.starts(with: prefix.utf8) }
                case .name(let name): [ExactString(name)]
                }
            openLoads.note(scope, tiers, at: time)
            // Work in progress may be shared where only memory was cleared, which is done to free space.
            if tiers.contains(.disk) {
                sharedSince = time
                for name in covered { names[name]?.sharedSince = time }
            }
            if case .everything = scope {
                clearing.note(time, tiers)
            } else {
                for name in covered { names[name]?.clearing.note(time, tiers) }
            }
        }
    }

    let state = Lock(State())

    /// The number of permits in use.
    var permitCount: Int { state.withLock { $0.names.values.reduce(0) { $0 + $1.permits.count } } }

    /// The number of loads of which not all names are known yet.
    var openLoadCount: Int { state.withLock { $0.openLoads.count } }

    /// A Boolean value that indicates whether removals are recorded that are not made yet.
    var isChanging: Bool {
        state.withLock { state in state.reads.isChanging || state.names.values.contains { $0.reads.isChanging } }
    }

    /// Begins work that may store something under the name of an original.
    ///
    /// - Parameter begun: The ``WorkNumber`` of the request, if the name was not known then. Default: now.
    func permit(for name: String, _ kind: StorePermit.Kind = .load, begun: UInt64? = nil) -> StorePermit {
        let name = ExactString(name)
        let (number, sharesSince, missed) = state.withLock { $0.begin(name, kind, begun: begun) }
        return StorePermit(
            order: self,
            name: name,
            kind: kind,
            number: number,
            begun: begun ?? number,
            sharesSince: sharesSince,
            missed: missed
        )
    }

    /// Begins a load of which not all names are known. Removals are recorded for it until it ends.
    func beginOpenLoad() -> OpenLoad {
        let number = state.withLock { state in
            let number = WorkNumber.next()
            state.openLoads.begin(number)
            return number
        }
        return OpenLoad(order: self, number: number)
    }

    func endOpenLoad(_ number: UInt64) {
        state.withLock { $0.openLoads.end(number) }
    }

    /// Returns the least age of an item that is read from disk from now on.
    ///
    /// Asked for between ``AsyncDiskCache/settle(_:priority:)`` and a read of ``AsyncDiskCache``, which waits for
    /// stores once more: every store that is counted here is in what is read then.
    func age(of item: Item, named name: String) -> ContentAge {
        state.withLock { $0.names[ExactString(name)]?.age(of: item) } ?? .unknown
    }

    /// Returns the least age of an image that is found in memory from now on.
    func ageInMemory(of key: ImageKey) -> ContentAge {
        let name = ExactString(key.originalDiskKey)
        var age = state.withLock { $0.names[name]?.age(of: .image(key), in: .memory) } ?? .unknown
        age.isFromMemory = true
        return age
    }

    /// Returns the ages of an original's representations, by their items: the one that is read is not known yet.
    func agesOfOriginal(named name: String) -> [Item: ContentAge] {
        state.withLock { $0.names[ExactString(name)]?.agesOfOriginal() } ?? [:]
    }

    /// Records a removal. No work in progress stores what it covers, and nothing read from the cache is stored there
    /// until the removal has been made and ``end(_:)`` is called.
    ///
    /// - Returns: The removal. Its permits, for a scope with a name, are newer than it.
    func begin(_ scope: Scope, from tiers: Tiers) -> Removal {
        let name: ExactString? =
            switch scope {
            case .everything, .names: nil
            case .name(let name): ExactString(name)
            }
        let begun = state.withLock { state -> (number: UInt64, sharesSince: UInt64, missed: MissedChanges)? in
            state.note(scope, tiers)
            guard let name else {
                state.reads.beginChange()
                return nil
            }
            let begun = state.begin(name, .load)
            state.names[name]?.reads.beginChange()
            return begun
        }
        guard let name, let (number, sharesSince, _) = begun else { return Removal(permit: nil) }
        return Removal(
            permit: StorePermit(
                order: self,
                name: name,
                kind: .load,
                number: number,
                begun: number,
                sharesSince: sharesSince
            )
        )
    }

    /// Records that the server of an original does not have it any more, by an answer to some work. No older work stores
    /// anything under its name, and nothing read from the cache is stored there until the removal of what is older has
    /// been made and ``end(_:)`` is called.
    ///
    /// - Returns: The removal; `nil` if the work may remove nothing.
    func beginRemoval(ofOlderThan permits: [StorePermit], _ age: ContentAge) -> Removal? {
        guard let work = StoringWork(permits, age), !work.missed.isReplaced else { return nil }
        return state.withLock { state in
            guard let record = state.names[work.name], work.begin > record.floor else { return nil }
            state.names[work.name]?.noteAbsence(work.change)
            state.names[work.name]?.reads.beginChange()
            return Removal(permit: permits.last)
        }
    }

    /// Records that a removal has been made.
    func end(_ removal: Removal) {
        state.withLock { state in
            let time = WorkNumber.next()
            guard let name = removal.permit?.name else { return state.reads.endChange(at: time) }
            state.names[name]?.reads.endChange(at: time)
        }
    }

    /// Records that something was removed from parts of the cache at once. Default: everything.
    func clear(_ tiers: Tiers, of scope: Scope = .everything) {
        state.withLock { $0.note(scope, tiers) }
    }

    /// Records a removal from memory alone, and makes it. Nothing found in memory meanwhile is stored in any form.
    ///
    /// - Parameter tiers: Memory, or no part. Default: memory.
    func removeFromMemory(_ scope: Scope = .everything, tiers: Tiers = .memory, _ removal: () -> Void) {
        state.withLock { $0.memoryReads.beginChange() }
        clear(tiers, of: scope)
        removal()
        state.withLock { $0.memoryReads.endChange(at: WorkNumber.next()) }
    }

    /// Ends work: its permit was released.
    func end(_ name: ExactString, _ number: UInt64, _ kind: StorePermit.Kind) {
        state.withLock { $0.end(name, number, kind) }
    }
}
