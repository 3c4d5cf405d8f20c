/// The permit of a piece of work to store something in one cache, given when the work begins.
final class StorePermit: Sendable {
    /// The relation of the work to work that began before it.
    enum Kind: Sendable {
        /// A load, which may share earlier work.
        case load
        /// A load that reads no cache. It shares only the work of other such loads, and work that began after them.
        case refresh
        /// A store by the program, which makes all earlier work outdated.
        case replacement
    }

    let order: StoreOrder
    /// The name of the original.
    let name: ExactString
    /// The number of the work, in the order of beginnings.
    let number: UInt64
    /// The number of the request for the work, which may be lower.
    let begun: UInt64
    /// The number since which the work may share other work.
    let sharesSince: UInt64
    let kind: Kind
    /// The changes under the name between the request for the work and the permit.
    let missed: MissedChanges

    init(
        order: StoreOrder,
        name: ExactString,
        kind: Kind,
        number: UInt64,
        begun: UInt64,
        sharesSince: UInt64,
        missed: MissedChanges = MissedChanges()
    ) {
        self.order = order
        self.name = name
        self.kind = kind
        self.number = number
        self.begun = begun
        self.sharesSince = sharesSince
        self.missed = missed
    }

    deinit {
        order.end(name, number, kind)
    }
}

/// The age of content that may be stored.
struct ContentAge: Sendable {
    /// The number of the work that brought it, in the order of beginnings: of the transfer, or of the work that stored
    /// it in the cache it was read from; the highest number of all where there was no such work.
    let number: UInt64
    /// A Boolean value that indicates whether it was read from a cache.
    let isFromCache: Bool
    /// A Boolean value that indicates whether it was found in memory.
    var isFromMemory = false

    /// The age of content that was made for the work that stores it.
    static let new = ContentAge(number: .max, isFromCache: false)

    /// The age of content of a cache that was stored there before all work in progress began, as far as is known.
    static let unknown = ContentAge(number: 0, isFromCache: true)

    /// Returns the age of content that came with a transfer.
    static func transferred(began number: UInt64) -> ContentAge { ContentAge(number: number, isFromCache: false) }
}
