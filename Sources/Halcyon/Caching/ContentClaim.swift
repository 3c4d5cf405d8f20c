internal import FoundationEssentials
internal import HalcyonHTTP
internal import HalcyonStore
internal import HalcyonSystem

/// The digest of the bytes of an original: XXH3, 64 bits.
struct ContentDigest: Hashable, Sendable {
    let value: UInt64

    init(_ value: UInt64) {
        // 0 stands for none, where a value takes less space than an optional one.
        self.value = max(1, value)
    }

    init(of data: Data) {
        self.init(Checksum.hash(of: data))
    }

    /// The digest in hexadecimal digits.
    var text: String { String(value, radix: 16) }

    init?(text: String) {
        guard let value = UInt64(text, radix: 16) else { return nil }
        self.init(value)
    }
}

/// The work that a load may join: none that it could not store any more.
struct JoinRule: Sendable {
    /// The ``WorkNumber`` since which the work has begun.
    var since: UInt64 = 0
    /// The number of the load that has brought the content of the cache since, whose own work is joined although it began
    /// before; `nil` for none.
    var adopter: UInt64?

    /// Returns whether work with a number may be joined.
    func admits(_ number: UInt64) -> Bool { number >= since || number == adopter }
}

/// A piece of work that may store something under a name in one cache, as long as this lives.
final class ContentRegistration: Sendable {
    enum Kind: Sendable {
        /// A load, which may join earlier work.
        case load
        /// A load that reads no cache. It joins only the work of other such loads, and work that began after them.
        case refresh
        /// A store by the program, which no load that was called before replaces.
        case replacement
    }

    let order: ContentOrder
    let name: ExactString
    let kind: Kind
    /// The number of the call.
    let number: UInt64
    /// The other work that the work may join.
    let joining: JoinRule
    /// The parts of the cache in which the work may store nothing: something changed there before its name was known.
    let lost: ImageCache.Tiers

    init(
        order: ContentOrder,
        name: ExactString,
        kind: Kind,
        number: UInt64,
        joining: JoinRule,
        lost: ImageCache.Tiers
    ) {
        self.order = order
        self.name = name
        self.kind = kind
        self.number = number
        self.joining = joining
        self.lost = lost
    }

    deinit {
        order.end(self)
    }
}

/// The registrations of one piece of work: one with each cache that it may store in.
struct ContentRegistrations: Sendable {
    /// The first, which nearly always is the only one.
    private let first: ContentRegistration?
    private let others: [ContentRegistration]

    /// Registers work on the image of a key.
    init(
        for key: ImageKey,
        with caches: [ImageCache],
        _ kind: ContentRegistration.Kind = .load,
        called: UInt64? = nil
    ) {
        let name = key.originalDiskKey
        first = caches.first?.order.register(name, kind, called: called)
        others = caches.count < 2 ? [] : caches[1...].map { $0.order.register(name, kind, called: called) }
    }

    init(_ registration: ContentRegistration) {
        first = registration
        others = []
    }

    /// The other work that the work may join.
    var joining: JoinRule {
        guard !others.isEmpty else { return first?.joining ?? JoinRule() }
        return JoinRule(since: others.reduce(first?.joining.since ?? 0) { max($0, $1.joining.since) })
    }

    /// The number of the call.
    var number: UInt64 { first?.number ?? 0 }

    subscript(order: ContentOrder) -> ContentRegistration? {
        if let first, first.order === order { return first }
        return others.first { $0.order === order }
    }
}

/// Content that may be stored, and its place in the order.
struct ContentClaim: Sendable {
    let registrations: ContentRegistrations
    /// The number of the transfer that brought or confirmed the content; `nil` if it was found in a cache.
    var transfer: UInt64?
    /// The digest of the original; `nil` for a result whose original is not known, and of a server that has none any
    /// more.
    var digest: ContentDigest?
    /// The representation of the original; empty for one that is the same for all requests.
    var representation = ""
    /// The time at which the server was asked for the original; `nil` if that is not known.
    var requestTime: Date?
    /// The original that a cache had in its place, also one whose time was over; `nil` if none was found.
    var found: Found?
    /// `true` if the content was found in memory.
    var isFromMemory = false
    /// `true` if a refresh in the background has brought the content, whose load may have used older content.
    var isInBackground = false
    /// `true` if the bytes are those of a part, which say nothing about the original.
    var isPart = false

    /// An original that a cache has.
    struct Found: Sendable {
        let digest: ContentDigest
        /// The time of its arrival; `nil` if that is not known.
        let storedAt: Date?
    }

    /// `true` if a cache is known to have had another original in its place.
    var replacesOther: Bool { representation.isEmpty && found != nil && found?.digest != digest }

    /// The time at which the original arrived that an answer has confirmed; `nil` if it is another one, or that is not known.
    /// A result of an original that is not known may be of an earlier one if it is older.
    var confirmedSince: Date? { digest == found?.digest ? found?.storedAt : nil }
}
