public import HalcyonCodecs
internal import HalcyonSystem

/// The codecs of a request in place of those of its pipeline, with their identity.
///
/// Other codecs may make other pixels of the same bytes, so their identity belongs to the key of the image. A
/// ``cacheIdentity`` is that identity, and images are found again by every process that uses the same. Without one, the
/// value is equal to its copies only: keep it, or options with it, for all requests that are to share images in memory
/// and work. The results of processors are then neither read from disk nor stored there; originals are.
public struct CustomCodecs: Sendable, Hashable {
    /// The decoders, and the encoders for the disk.
    public let codecs: ImageCodecs
    /// The name of the set, its version included, such as "raw-2". Sets with one name are taken to be the same. The
    /// name stands in the disk cache as it is.
    public let cacheIdentity: String?
    /// A number that distinguishes sets without a name, within this process.
    private let number = WorkNumber.next()

    /// Codecs of a request.
    ///
    /// - Parameters:
    ///   - codecs: The decoders, which are asked in order, and the encoders. ``ImageCodecs/standard`` with further
    ///     ones: ``ImageCodecs/registering(decoder:)``. The results of processors on disk are PNG or JPEG by default.
    ///   - cacheIdentity: The name of the set. Default: `nil`.
    public init(_ codecs: ImageCodecs, cacheIdentity: String? = nil) {
        self.codecs = codecs
        self.cacheIdentity = cacheIdentity
    }

    /// Returns whether both have the same name, or are copies of one value without a name.
    public static func == (left: CustomCodecs, right: CustomCodecs) -> Bool {
        guard let name = left.cacheIdentity, let other = right.cacheIdentity else {
            return left.number == right.number
        }
        return ExactString(name) == ExactString(other)
    }

    /// Hashes the identity.
    public func hash(into hasher: inout Hasher) {
        if let cacheIdentity { hasher.combine(ExactString(cacheIdentity)) } else { hasher.combine(number) }
    }

    func encodeIdentity(into encoder: inout CacheKeyEncoder) {
        if let cacheIdentity { encoder.encode(cacheIdentity) } else { encoder.encode(Int(number)) }
    }
}

extension ImageOptions {
    /// Returns the codecs of these options, or else those of a pipeline or a call.
    func codecs(or others: ImageCodecs) -> ImageCodecs { decode.codecs?.codecs ?? others }
}
