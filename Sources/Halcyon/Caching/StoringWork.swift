/// Work that asks to change an item of a cache.
struct StoringWork {
    let name: ExactString
    /// The number of the first of its stages.
    let begin: UInt64
    /// The number of the work that brought its content.
    let number: UInt64
    /// The number after which changes of its item may be newer than its content.
    let since: UInt64
    /// The changes under the name before it was known to the work.
    let missed: MissedChanges
    private let isReplacement: Bool

    /// `nil` without a permit.
    init?(_ permits: [StorePermit], _ age: ContentAge) {
        guard let last = permits.last, let begin = permits.map(\.begun).min() else { return nil }
        name = last.name
        self.begin = begin
        number = min(age.number, last.number)
        // A shared transfer may have begun before all loads that wait for it now.
        since = age.isFromCache ? begin : min(begin, number)
        missed = permits.reduce(into: MissedChanges()) { $0.add($1.missed) }
        isReplacement = last.kind == .replacement
    }

    /// The change that it makes, now.
    var change: NameRecord.Change {
        NameRecord.Change(time: WorkNumber.next(), number: number, isReplacement: isReplacement)
    }
}
