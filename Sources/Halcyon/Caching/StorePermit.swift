/// The right of a piece of work to store something in one cache, which is given when it begins.
final class StorePermit: Sendable {
    /// What the work is to the work that began before it.
    enum Kind: Sendable {
        /// It may share that.
        case load
        /// A load that asks no cache, which shares only what other such loads began, and what began after them.
        case refresh
        /// A store of the program's own, which makes all that older.
        case replacement
    }

    let order: StoreOrder
    /// The name of the original.
    let name: String
    /// The order of beginnings.
    let number: UInt64
    /// When the work was asked for, which may be earlier.
    let begun: UInt64
    /// The work may share other work that began since then.
    let sharesSince: UInt64
    let kind: Kind

    init(order: StoreOrder, name: String, kind: Kind, number: UInt64, begun: UInt64, sharesSince: UInt64) {
        self.order = order
        self.name = name
        self.kind = kind
        self.number = number
        self.begun = begun
        self.sharesSince = sharesSince
    }

    deinit {
        order.end(name, number, kind)
    }
}

/// How old content is that may be stored.
struct ContentAge: Sendable {
    /// The number of the work that brought it, in the order of beginnings: of the transfer, or of what stored it where it was
    /// read; the highest number of all where there was no such work.
    let number: UInt64
    /// Whether it was read from a cache.
    let isFromCache: Bool

    /// Content that was made for the work that stores it.
    static let new = ContentAge(number: .max, isFromCache: false)

    /// Content of a cache that was stored there before all that goes on began, as far as is known.
    static let unknown = ContentAge(number: 0, isFromCache: true)

    /// Content that came with a transfer.
    static func transferred(began number: UInt64) -> ContentAge { ContentAge(number: number, isFromCache: false) }
}
