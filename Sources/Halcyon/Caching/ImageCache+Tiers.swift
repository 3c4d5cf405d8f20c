extension ImageCache {
    /// The parts of a cache.
    public struct Tiers: OptionSet, Hashable, Sendable {
        /// The bits of the parts.
        public let rawValue: Int

        /// The parts of these bits.
        public init(rawValue: Int) {
            self.rawValue = rawValue
        }

        /// Decoded images in memory.
        public static let memory = Tiers(rawValue: 1)
        /// Encoded images on disk.
        public static let disk = Tiers(rawValue: 2)
        /// Memory and disk.
        public static let all: Tiers = [.memory, .disk]
    }
}
