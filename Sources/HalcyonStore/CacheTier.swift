public import FoundationEssentials
public import HalcyonSystem

/// A place that keeps encoded images: the disk, images that came with the program, or a store that machines share.
///
/// A cache asks its tiers in their order, and keeps what it is given in all of them. It does three things for them: it
/// checks what they return, so a tier may be forgetful and out of date; it asks for the changes of one name one after
/// the other, and for no look-up under a name while a change of it is being made; and it hides what it could not remove
/// until a later attempt succeeds.
///
/// The functions are called from any task, many at a time, and never throw. They return early if the calling task is
/// cancelled, a change apart, which is made or not made as a whole.
public protocol CacheTier: Sendable {
    /// `true` if entries are only read: the cache then asks for no change. Default: `false`.
    var isReadOnly: Bool { get }

    /// `true` while more waits to be stored than the tier can keep up with: the cache then stores nothing here, and
    /// removes what it would have replaced. Default: `false`.
    var isBehind: Bool { get }

    /// Returns whether there may be an original of a name. Asked of a tier that is only read, at each answer of a server,
    /// so that what the server has sent last is remembered for those originals alone. It has to return soon. Default:
    /// `true`.
    func mayHave(_ name: String) -> Bool

    /// Returns the entry of a key.
    ///
    /// - Parameter extending: The effect of the look-up on its expiration; a tier may ignore it.
    func entry(for key: CacheKey, extending: ExpirationExtension, _ call: TierCall) async -> TierAnswer

    /// Stores an entry in place of the one that its key has. A later look-up finds the new one or none.
    func store(_ entry: TierEntry, for key: CacheKey, _ call: TierCall) async -> TierOutcome

    /// Replaces the metadata of an entry, if it is still the version that was found.
    ///
    /// - Parameter expiration: The lifetime from now on; `nil` leaves it as it is.
    /// - Returns: ``TierOutcome/declined`` if it is another version by now.
    func update(
        _ metadata: Data,
        _ expiration: Expiration?,
        for key: CacheKey,
        replacing version: TierVersion,
        _ call: TierCall
    ) async -> TierOutcome

    /// Removes entries. ``TierOutcome/unavailable`` if some of them may be left.
    func remove(_ scope: TierScope, _ call: TierCall) async -> TierOutcome

    /// Waits until everything that was stored before is as safe as the tier makes it. Default: returns at once.
    func flush(_ call: TierCall) async -> TierOutcome
}

extension CacheTier {
    /// `false`: entries are stored and removed.
    public var isReadOnly: Bool { false }

    /// `false`: the tier keeps up.
    public var isBehind: Bool { false }

    /// `true`: every original may be there.
    public func mayHave(_ name: String) -> Bool { true }

    /// Returns at once.
    public func flush(_ call: TierCall) async -> TierOutcome { .done() }
}

/// The key of an entry: the name of an original, and what was made of it. Keys are equal if their bytes are.
public struct CacheKey: Hashable, Sendable, CustomStringConvertible {
    private let exact: ExactString

    package init(text: String) {
        exact = ExactString(text)
    }

    /// - Parameters:
    ///   - name: The name of the original with its scope, without a byte 0.
    ///   - variant: What was made of the original, or a further representation of it. Default: `nil`, the original.
    public init(name: String, variant: String? = nil) {
        self.init(text: variant.map { "\(name)\0\($0)" } ?? name)
    }

    /// The name, and after a byte 0 the variant.
    package var text: String { exact.text }

    /// The name of the original, with its scope.
    public var name: String {
        let bytes = text.utf8
        return bytes.firstIndex(of: 0).map { String(text[..<$0]) } ?? text
    }

    /// What was made of the original, or which further representation of it this is; `nil` for the original.
    public var variant: String? {
        let bytes = text.utf8
        return bytes.firstIndex(of: 0).map { String(text[bytes.index(after: $0)...]) }
    }

    /// The name and the variant, with a slash between them.
    public var description: String { variant.map { "\(name)/\($0)" } ?? name }
}

/// An entry of a tier.
public struct TierEntry: Sendable {
    /// The encoded bytes.
    public var body: Data
    /// Bytes that are kept beside the body.
    public var metadata: Data
    /// The lifetime; `nil`: that of the tier.
    public var expiration: Expiration?
    /// The time of arrival in the tier; `nil` if it is not known: the entry is taken for new, unless the tier has failed
    /// to make more removals than the cache tells apart, which may have been about it. A tier sets it when the entry is
    /// stored.
    public var storedAt: Date?
    /// The digest of the original that the entry is or was made of: its XXH3, 64 bits. `nil` if it is not known, or if
    /// only the metadata has it.
    public var digest: UInt64?
    /// The version, which no other state of the entry has; `nil` in an entry that is to be stored, and in a tier that
    /// is only read.
    public var version: TierVersion?

    /// Creates an entry.
    public init(
        body: Data,
        metadata: Data = Data(),
        expiration: Expiration? = nil,
        storedAt: Date? = nil,
        digest: UInt64? = nil,
        version: TierVersion? = nil
    ) {
        self.body = body
        self.metadata = metadata
        self.expiration = expiration
        self.storedAt = storedAt
        self.digest = digest
        self.version = version
    }
}

/// One state of an entry: two numbers that no state before or after it has.
public struct TierVersion: Hashable, Sendable {
    package let first: Int64
    package let second: Int64

    /// Creates a version.
    ///
    /// - Parameter second: Default: 0.
    public init(_ first: Int64, _ second: Int64 = 0) {
        self.first = first
        self.second = second
    }
}

extension TierVersion {
    /// The version of an entry on disk.
    ///
    /// - Parameter checksum: That of body and metadata.
    init(storedAt: DiskTime, checksum: Int64) {
        self.init(storedAt.microseconds, checksum)
    }

    /// The time at which an entry on disk was stored.
    var storedAt: DiskTime { DiskTime(microseconds: first) }
    /// The checksum of body and metadata of an entry on disk.
    var checksum: Int64 { second }
}

/// The answer to a look-up.
public enum TierAnswer: Sendable {
    /// The tier has the entry.
    case hit(TierEntry)
    /// The tier has no entry that may be used.
    ///
    /// - Parameter expired: One whose time is over, with or without its body, by which the cache tells whether its server
    ///   has sent another original since; `nil` if there is none, or it is not known. Default: `nil`.
    case miss(expired: TierEntry? = nil)
    /// The tier cannot tell.
    case unavailable
}

/// The outcome of a change.
public enum TierOutcome: Hashable, Sendable {
    /// The change is made.
    ///
    /// - Parameter version: The version that the entry has now; `nil` if there is no entry, or it is not known.
    case done(version: TierVersion? = nil)
    /// The tier does not make this change, such as to store an entry that is larger than it keeps. Of the key of an
    /// entry that was to be stored, it has none now.
    case declined
    /// The tier could not make the change.
    case unavailable
}

/// The entries that a removal is about.
public enum TierScope: Sendable {
    /// One entry; with a version only while it has that.
    case entry(CacheKey, TierVersion? = nil)
    /// An original in all its representations and everything that was made of it, except what is or was made of the
    /// representations with these digests, and what was made of an original that is not known and arrived then or later;
    /// `nil`: none of that is excepted.
    case name(String, except: Set<UInt64> = [], unknownSince: Date? = nil)
    /// All originals whose names begin with a text, and everything that was made of them.
    case names(beginningWith: String)
    /// All entries.
    case everything

    /// Returns whether an entry is removed.
    ///
    /// - Parameters:
    ///   - version: The version of the entry. Default: not known, so that it counts as the one that is meant.
    ///   - digest: The digest of the entry's original; `nil` if it is not known.
    ///   - storedAt: The time of its arrival. Default: not known, so that it is taken for new.
    public func covers(_ key: CacheKey, version: TierVersion? = nil, digest: UInt64?, storedAt: Date? = nil) -> Bool {
        switch self {
        case .entry(let other, let meant): other == key && (meant == nil || version == nil || meant == version)
        case .name(let name, let kept, let since):
            if !ExactString.hasSameBytes(name, key.name) {
                false
            } else if let digest {
                !kept.contains(digest)
            } else {
                // An original is known by its own bytes.
                key.variant == nil || since.map { storedAt ?? .distantFuture < $0 } ?? true
            }
        case .names(let prefix): key.text.utf8.starts(with: prefix.utf8)
        case .everything: true
        }
    }
}

extension TierScope: Equatable {
    /// Returns whether both are about the same entries. Names are equal if their bytes are.
    public static func == (left: TierScope, right: TierScope) -> Bool {
        switch (left, right) {
        case (.entry(let key, let version), .entry(let otherKey, let otherVersion)):
            key == otherKey && version == otherVersion
        case (.name(let name, let kept, let since), .name(let otherName, let otherKept, let otherSince)):
            ExactString.hasSameBytes(name, otherName) && kept == otherKept && since == otherSince
        case (.names(let prefix), .names(let otherPrefix)): ExactString.hasSameBytes(prefix, otherPrefix)
        case (.everything, .everything): true
        default: false
        }
    }
}

/// The circumstances of a call.
public struct TierCall: Sendable {
    package let priorityBox: PriorityBox
    /// The safety of what is stored, as far as the tier can choose.
    public let durability: DiskCache.Durability
    /// The reason for a removal.
    package private(set) var reason = Reason.change

    /// The reason for a removal, by which a tier that tells other processes decides whether it tells them.
    package enum Reason: Hashable, Sendable {
        /// The program has asked for it, or an original has changed.
        case change
        /// An original was transferred that is not known to replace another one: only the tier can tell whether it has something
        /// of another one.
        case transfer
        /// The tier could not make the removal before.
        case retry
        /// A tier has heard of the removal from another process, and has made it.
        case heard(by: ObjectIdentifier)
    }

    /// Creates the circumstances of a call.
    ///
    /// - Parameters:
    ///   - priority: Default: normal.
    ///   - durability: Default: stored together with others, later.
    public init(priority: LoadPriority = .normal, durability: DiskCache.Durability = .none) {
        self.init(PriorityBox(priority), durability: durability)
    }

    package init(_ priority: PriorityBox, durability: DiskCache.Durability = .none) {
        priorityBox = priority
        self.durability = durability
    }

    /// Returns the call with a reason.
    package func withReason(_ reason: Reason) -> TierCall {
        var call = self
        call.reason = reason
        return call
    }

    /// The priority at the moment: it rises when a more urgent load waits for the call.
    public var priority: LoadPriority { priorityBox.value }
}
