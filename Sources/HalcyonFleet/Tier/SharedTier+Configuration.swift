internal import HalcyonSystem

extension SharedTier {
    /// What a shared tier keeps, and for how long.
    public struct Configuration: Sendable {
        /// The most bytes of an entry, metadata included; larger ones belong on disk. Default: 1 MiB.
        public var entryByteLimit = 1 << 20
        /// The longest lifetime of an entry; a tenth at the most is taken off, so that entries that were stored together do not
        /// expire together. Default: 7 days.
        public var longestLifetime: Duration = .seconds(7 * 86_400)
        /// `true` to store what was asked for once in the fleet too; `false`: an entry is stored when it is made for the second
        /// time within an hour. Default: `false`.
        public var storesFirst = false
        /// The bytes that may wait to be stored; beyond, nothing more is. Default: 16 MiB.
        public var pendingByteLimit = 16 << 20
        /// The most entries of one original. Default: 256.
        public var variantLimit = 256
        /// The time for which one process alone renews an entry that is about to expire. Default: 1.5 s.
        public var renewalTime: Duration = .milliseconds(1_500)

        /// The defaults.
        public init() {}
    }
}
