/// The identity of an image in the caches and in shared work: which original, and what is made of it.
///
/// Everything that changes pixels or metadata is part of it. It is derived, never put together from text, so that no
/// original's key can be mistaken for another one with a variant.
public struct ImageKey: Sendable, Hashable {
    /// The cache key of the source.
    let original: String
    /// What is made of the original; `nil` for its first frame at its own size.
    let variant: Variant?
    private let hash: Int

    init(original: String, variant: Variant?) {
        self.original = original
        self.variant = variant
        var hasher = Hasher()
        hasher.combine(original)
        hasher.combine(variant?.hash ?? 0)
        hash = hasher.finalize()
    }

    /// Compares the precomputed hashes first, as most unequal keys differ there.
    public static func == (left: ImageKey, right: ImageKey) -> Bool {
        left.hash == right.hash && left.variant == right.variant && left.original == right.original
    }

    /// Feeds the precomputed hash.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(hash)
    }

    /// The bytes that name this image on disk: equal for equal keys in every process.
    func diskKey(_ kind: DiskKind) -> [UInt8] {
        var encoder = CacheKeyEncoder()
        encoder.encode(kind.rawValue)
        encoder.encode(original)
        if let variant { encoder.encode(variant.bytes) }
        return encoder.bytes
    }

    /// What an entry on disk holds.
    enum DiskKind: Int {
        /// The bytes as they came.
        case original = 1
        /// The re-encoded result of processing.
        case processed = 2
    }

    /// Decode options and processing, written canonically once.
    final class Variant: Sendable, Hashable {
        let bytes: [UInt8]
        let hash: Int

        /// `nil` if nothing differs from the original's first frame at its own size.
        init?(decode: DecodePolicy, processing: ImageProcessing) {
            guard !decode.isIdentity || !processing.isIdentity else { return nil }
            var encoder = CacheKeyEncoder()
            decode.encodeIdentity(into: &encoder)
            processing.encodeIdentity(into: &encoder)
            bytes = encoder.bytes
            hash = bytes.hashValue
        }

        static func == (left: Variant, right: Variant) -> Bool {
            left === right || (left.hash == right.hash && left.bytes == right.bytes)
        }

        func hash(into hasher: inout Hasher) {
            hasher.combine(hash)
        }
    }
}
