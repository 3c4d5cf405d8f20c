/// The policies of a group of two caches; see `ImageCacheGroup`.
struct CacheArrangement: Hashable, Codable, Sendable {
    /// The caches that a verb applies to.
    enum Reach: String, Codable, Sendable, CaseIterable {
        case all, highest, lowest

        /// Returns whether every cache of another reach is one of these.
        func covers(_ other: Reach) -> Bool { self == .all || self == other }

        /// Returns whether one of the caches of another reach is one of these.
        func meets(_ other: Reach) -> Bool { self == .all || other == .all || self == other }
    }

    var lookup = Reach.all
    var storing = Reach.highest
    var containing = Reach.all
    var removing = Reach.all
    var clearing = Reach.all
    var promotes = false

    /// A Boolean value that indicates whether loads find what loads store.
    var findsStored: Bool { lookup.meets(storing) }

    /// A Boolean value that indicates whether the caches that are asked for an image are some that it is stored in.
    var containsStored: Bool { containing.meets(storing) }

    /// A Boolean value that indicates whether no load finds an image that was removed.
    var removesFinally: Bool { removing.covers(lookup) }

    /// A Boolean value that indicates whether no load finds anything after everything was removed.
    var clearsFinally: Bool { clearing.covers(lookup) }
}

extension CacheArrangement: CustomStringConvertible {
    var description: String {
        "two caches: looks up \(lookup.rawValue), stores in \(storing.rawValue), contains in \(containing.rawValue), "
            + "removes from \(removing.rawValue), clears \(clearing.rawValue)\(promotes ? ", promotes" : "")"
    }
}
