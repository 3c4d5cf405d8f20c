/// The identity of an image in the caches and in shared work: which original, and what is made of it.
///
/// Everything that changes pixels or metadata is part of it. It is derived, never put together from text, so that no
/// original's key can be mistaken for another one with a variant.
public struct ImageKey: Sendable, Hashable {
    /// The cache key of the source.
    let original: OriginalKey
    /// What is made of the original; `nil` for its first frame at its own size.
    let variant: Variant?
    private let hash: Int

    init(original: OriginalKey, variant: Variant?) {
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

    /// The precomputed hash, which the memory cache uses as it is: hashing it once more would take half as long as all
    /// the rest of a hit.
    public var hashValue: Int { hash }

    /// What names the original on disk: the same for equal keys in every process. It begins as the original's name
    /// does, so that a prefix finds all of a server's. The byte 0 ends it, so it is escaped in the name itself.
    var originalDiskKey: String { DiskKey.escaped(original.text) }

    /// What names this image on disk. It begins with the original's name and a byte 0, so that an original can be
    /// removed together with all that was made of it, and no original can be taken for it.
    var processedDiskKey: String {
        let digits = Array("0123456789abcdef".utf8)
        let hexadecimal = (variant?.bytes ?? []).flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }
        return "\(originalDiskKey)\0\(String(decoding: hexadecimal, as: UTF8.self))"
    }

    /// Decode options and processing, written canonically once.
    final class Variant: Sendable, Hashable {
        let bytes: [UInt8]
        let hash: Int

        init(decode: DecodePolicy, steps: [ImageProcessing.Step]) {
            var encoder = CacheKeyEncoder()
            decode.encodeIdentity(into: &encoder)
            encoder.encode(steps.count)
            for step in steps {
                encoder.encode(step.identity)
            }
            bytes = encoder.bytes
            hash = bytes.hashValue
        }

        /// `nil` if nothing differs from the original's first frame at its own size. A chain of processors has its
        /// variant for the first frame ready, so that looking into memory takes no time to write it.
        static func of(decode: DecodePolicy, processing: ImageProcessing) -> Variant? {
            decode.isIdentity ? processing.variant : Variant(decode: decode, steps: processing.steps)
        }

        static func == (left: Variant, right: Variant) -> Bool {
            left === right || (left.hash == right.hash && left.bytes == right.bytes)
        }

        func hash(into hasher: inout Hasher) {
            hasher.combine(hash)
        }
    }
}
