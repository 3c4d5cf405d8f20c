/// Work that wants to change a place.
struct StoringWork {
    let name: String
    /// When it began, with all of its stages.
    let begin: UInt64
    /// How old its content is.
    let number: UInt64
    /// Later changes of its place may be newer than its content.
    let since: UInt64
    private let isReplacement: Bool

    /// `nil` without a permit.
    init?(_ permits: [StorePermit], _ age: ContentAge) {
        guard let last = permits.last, let begin = permits.map(\.begun).min() else { return nil }
        name = last.name
        self.begin = begin
        number = min(age.number, last.number)
        // A transfer that is shared may have begun before all who wait for it now.
        since = age.isFromCache ? begin : min(begin, number)
        isReplacement = last.kind == .replacement
    }

    /// The change that it makes, now.
    var change: NameRecord.Change {
        NameRecord.Change(time: WorkNumber.next(), number: number, isReplacement: isReplacement)
    }
}
