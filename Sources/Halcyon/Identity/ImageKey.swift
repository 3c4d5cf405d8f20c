internal import HalcyonStore
internal import HalcyonSystem

/// The identity of an image in the caches and in shared work: its original, and the decoding and processing of it.
///
/// Everything that changes pixels or metadata is part of it. It is derived, never put together from text, so that no
/// original's key can be mistaken for another one with a variant.
///
/// Comparing keys counts no references, which would take longer than all the rest of a hit in memory: name and variant
/// are stored as pointers, and one reference keeps both alive.
///
/// Unchecked: the memory that the pointers refer to never changes, and lives as long as the storage; for a lent key, as
/// long as the loan.
public struct ImageKey: @unchecked Sendable, Hashable {
    /// `nil` for a lent key.
    private let storage: Storage?
    private let name: UnsafeRawBufferPointer
    private let unretainedVariant: Unmanaged<Variant>?
    private let hash: Int

    /// Owns the bytes of a name, and a variant.
    private final class Storage {
        let name: UnsafeMutableRawBufferPointer
        let variant: Variant?

        init(_ name: UnsafeRawBufferPointer, _ variant: Variant?) {
            self.name = .allocate(byteCount: name.count, alignment: 1)
            self.name.copyMemory(from: name)
            self.variant = variant
        }

        deinit {
            name.deallocate()
        }
    }

    /// The key of an original, or of its variant; without a variant, of its first frame at its own size.
    init(original: OriginalKey, variant: Variant?) {
        var text = original.text
        let storage: Storage
        if let scope = original.scope {
            // A byte that no text contains: no name without a scope is equal to this.
            let bytes = Array(text.utf8) + [Self.scopeMark] + Array(scope.utf8)
            storage = bytes.withUnsafeBytes { Storage($0, variant) }
        } else {
            storage = text.withUTF8 { Storage(UnsafeRawBufferPointer($0), variant) }
        }
        self.init(storage)
    }

    private init(_ storage: Storage) {
        self.storage = storage
        name = UnsafeRawBufferPointer(storage.name)
        unretainedVariant = storage.variant.map(Unmanaged.passUnretained)
        hash = Self.hash(of: name, unretainedVariant)
    }

    /// Returns the key of another variant of the same original. Complexity: O(n) in the length of the name.
    func replacingVariant(by variant: Variant?) -> ImageKey { ImageKey(Storage(name, variant)) }

    /// A key for one look-up, which must not be kept: it borrows the name, and does not keep the variant alive.
    @inline(__always)
    init(lent name: UnsafeBufferPointer<UInt8>, variant: Unmanaged<Variant>?) {
        storage = nil
        self.name = UnsafeRawBufferPointer(name)
        unretainedVariant = variant
        hash = Self.hash(of: self.name, variant)
    }

    private static let scopeMark: UInt8 = 0xFF

    /// The cache key of the source, and its scope.
    var original: OriginalKey {
        guard let end = name.firstIndex(of: Self.scopeMark) else {
            return OriginalKey(text: String(decoding: name, as: UTF8.self))
        }
        return OriginalKey(
            text: String(decoding: name[..<end], as: UTF8.self),
            scope: String(decoding: name[(end + 1)...], as: UTF8.self)
        )
    }

    /// The variant of the original; `nil` for its first frame at its own size.
    var variant: Variant? { unretainedVariant?.takeUnretainedValue() }

    /// The number of bytes of the name and the variant where it is more than the few hundred that any entry takes, else 0.
    /// The name may be the whole of a `data:` URL.
    var longByteCount: Int {
        let count = name.count + (variant?.bytes.count ?? 0)
        return count > 512 ? count : 0
    }

    /// Returns whether both keys are of the same original.
    func hasOriginal(of other: ImageKey) -> Bool {
        name.hasSameBytes(as: other.name)
    }

    /// Returns whether the original's name begins with a prefix.
    func originalBegins(with prefix: String) -> Bool {
        name.starts(with: prefix.utf8)
    }

    /// Returns whether both keys are of the same image. Compares the precomputed hashes first, as most unequal keys
    /// differ there.
    public static func == (left: ImageKey, right: ImageKey) -> Bool {
        left.hash == right.hash && hasSameVariant(left, right) && left.hasOriginal(of: right)
    }

    @inline(__always)
    private static func hasSameVariant(_ left: ImageKey, _ right: ImageKey) -> Bool {
        guard let variant = left.unretainedVariant, let other = right.unretainedVariant else {
            return left.unretainedVariant == nil && right.unretainedVariant == nil
        }
        if variant.toOpaque() == other.toOpaque() { return true }
        return variant._withUnsafeGuaranteedRef { variant in other._withUnsafeGuaranteedRef { variant == $0 } }
    }

    /// Hashes the precomputed hash.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(hash)
    }

    /// The precomputed hash, which the memory cache uses as it is: hashing it once more would take half as long as all
    /// the rest of a hit.
    public var hashValue: Int { hash }

    /// A random number for each process, so that hashes cannot be predicted for chosen names.
    private static let seed = UInt64.random(in: .min ... .max)

    /// Returns the XXH3 hash, which takes a quarter of the time of the language's hasher for a URL.
    @inline(__always)
    private static func hash(of name: UnsafeRawBufferPointer, _ variant: Unmanaged<Variant>?) -> Int {
        let variantHash = variant?._withUnsafeGuaranteedRef { $0.hash } ?? 0
        let hash = Checksum.hash(of: name, seed: seed ^ UInt64(truncatingIfNeeded: variantHash))
        return Int(truncatingIfNeeded: hash)
    }

    /// The name of the original on disk: the same for equal keys in every process. It begins with the original's name,
    /// so that a prefix finds all originals of a server. The byte 0 ends it, so it is escaped in the name itself.
    var originalDiskKey: String {
        let original = original
        let name = ParsedDiskKey.escaped(original.text)
        return original.scope.map { name + ParsedDiskKey.scopeMark + ParsedDiskKey.escaped($0) } ?? name
    }

    /// The name of this image on disk. It begins with the original's name and a byte 0, so that an original can be
    /// removed together with all its results, and no original can be taken for it.
    var processedDiskKey: String {
        processedDiskKey(of: variant?.bytes ?? [])
    }

    /// Returns the name on disk of an image with this variant, or its beginning.
    func processedDiskKey(of variant: [UInt8]) -> String {
        "\(originalDiskKey)\0\(Self.hexadecimal(variant))"
    }

    /// Returns bytes as they are written in names on disk.
    static func hexadecimal(_ bytes: [UInt8]) -> String {
        let digits = Array("0123456789abcdef".utf8)
        let hexadecimal = bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }
        return String(decoding: hexadecimal, as: UTF8.self)
    }

    /// The decode options and the processing, encoded canonically once.
    final class Variant: Sendable, Hashable {
        let bytes: [UInt8]
        let hash: Int

        init(
            decode: DecodePolicy,
            steps: [ImageProcessorChain.Step],
            serializer: SerializerHook? = nil,
            encoding: ImageEncoding? = nil
        ) {
            var encoder = CacheKeyEncoder()
            decode.encodeIdentity(into: &encoder)
            encoder.encode(steps.count)
            for step in steps {
                encoder.encode(step.identity)
            }
            if let serializer { encoder.encode(serializer.identity) }
            if let encoding {
                encoder.beginEncoding()
                encoder.encode(encoding.identity)
            }
            bytes = encoder.bytes
            hash = bytes.hashValue
        }

        /// Returns `nil` if the result is the original's first frame at its own size. A chain of processors stores its
        /// variant for the first frame, so that a look into memory takes no time to encode it.
        ///
        /// - Parameter serializer: The serializer of processed images. Default: `nil`, the automatic one.
        static func of(
            decode: DecodePolicy,
            processing: ImageProcessorChain,
            serializer: SerializerHook? = nil
        ) -> Variant? {
            // An unprocessed image is stored as it came.
            let serializer = processing.isIdentity ? nil : serializer
            if decode.isIdentity, serializer == nil { return processing.variant }
            return Variant(decode: decode, steps: processing.steps, serializer: serializer)
        }

        static func == (left: Variant, right: Variant) -> Bool {
            left === right || (left.hash == right.hash && left.bytes == right.bytes)
        }

        func hash(into hasher: inout Hasher) {
            hasher.combine(hash)
        }
    }
}
