internal import FoundationEssentials
internal import HalcyonCodecs
internal import HalcyonRaster
internal import HalcyonStore

/// An image in the memory cache, or the encoded bytes of one. It has as few references as possible, because a hit counts
/// each: one where the server stated nothing.
struct CachedImage: Sendable {
    /// The form in which an image is kept. Each has one reference.
    enum Content: Sendable {
        case image(DecodedImage)
        case encoded(EncodedImageBody)

        /// A Boolean value that indicates whether it is an image with its animation.
        var isAnimated: Bool { if case .image(let image) = self { image.animation != nil } else { false } }

        /// A Boolean value that indicates whether the original was cut short or damaged.
        var isPartial: Bool {
            switch self {
            case .image(let image): image.isPartial
            case .encoded(let body): body.isPartial
            }
        }
    }

    let content: Content
    /// The size of the encoded original.
    let byteCount: Int
    /// The validity that its server stated; `nil` if it stated nothing, and the memory cache holds the image until
    /// ``OriginalValidity/silentEnd`` at most.
    let validity: OriginalValidity?
    /// The time at which it came from its server, or was validated last, in seconds since the reference date; not a
    /// number if there is none, or it is not known. Half the size of an optional date, which each hit would copy.
    private let receivedAt: Double
    /// A Boolean value that indicates whether the image is what its original makes, and not what a lossy encoding on
    /// disk left of that.
    let isExact: Bool
    /// The value of ``digest``; 0 if it is not known. No optional, which would make each entry of memory larger.
    private let digestValue: UInt64

    /// - Parameters:
    ///   - receivedAt: The date of an image whose validity is not known. Default: `nil`.
    ///   - dropsSilence: `true` if the memory cache removes the image at ``OriginalValidity/silentEnd``, so that a hit
    ///     has nothing to check. Default: `false`.
    ///   - isExact: `false` if the pixels were on disk in a lossy encoding. Default: `true`.
    init(
        _ content: Content,
        byteCount: Int,
        validity: OriginalValidity? = nil,
        receivedAt: Date? = nil,
        dropsSilence: Bool = false,
        isExact: Bool = true,
        digest: ContentDigest? = nil
    ) {
        self.content = content
        self.byteCount = byteCount
        self.validity = validity.flatMap { $0.isSilent && dropsSilence ? nil : $0 }
        let receivedAt = validity?.response.responseTime ?? receivedAt
        self.receivedAt = receivedAt?.timeIntervalSinceReferenceDate ?? .nan
        self.isExact = isExact
        digestValue = digest?.value ?? 0
    }

    /// The digest of the original that it was made of; `nil` if that is not known.
    var digest: ContentDigest? { digestValue == 0 ? nil : ContentDigest(digestValue) }

    /// The representation of the original; see ``StoredResponse/contentRepresentation``.
    var representation: String { validity?.representation ?? "" }

    /// The image; `nil` if the content is its encoded bytes.
    var image: DecodedImage? { if case .image(let image) = content { image } else { nil } }

    /// The same as a still image.
    var still: CachedImage {
        guard let image, image.animation != nil else { return self }
        return CachedImage(
            .image(image.replacingAnimation(nil)),
            byteCount: byteCount,
            validity: validity,
            receivedAt: receivedDate,
            isExact: isExact,
            digest: digest
        )
    }

    /// The time at which it came from its server, or was validated last; `nil` if there is none, or it is not known.
    var receivedDate: Date? {
        receivedAt.isNaN ? nil : Date(timeIntervalSinceReferenceDate: receivedAt)
    }

    /// The bytes that this value and its key keep in memory, apart from a few hundred that each has.
    func cost(under key: ImageKey) -> Int {
        let cost = key.longByteCount + (validity?.byteCount ?? 0)
        switch content {
        case .image(let image):
            let profile = if case .icc(let profile) = image.colorProfile { profile.count } else { 0 }
            return cost + image.bitmap.byteCount + image.info.byteCount + profile
                + (image.animation?.byteCount(beside: image.bitmap) ?? 0)
        case .encoded(let body):
            return cost + body.byteCount
        }
    }

    /// The weak reference by which the image is found after its eviction, for as long as something shows it: its pixels
    /// are then still in memory. `nil` for encoded bytes.
    var weakReference: WeakValue<CachedImage>? {
        guard let image else { return nil }
        let info = image.info
        let fullSize = image.fullSize
        let colorProfile = image.colorProfile
        let isPartial = image.isPartial
        let byteCount = byteCount
        let validity = validity
        let receivedDate = receivedDate
        let isExact = isExact
        let digest = digest
        let size = image.size
        let isOpaque = image.bitmap.isOpaque
        let depth = image.bitmap.depth
        let partialEdges = image.bitmap.partialEdges
        let isAnimated = image.animation != nil
        // The pixels by which the image is found must not be changed by code that shows it.
        image.bitmap.buffer.seal()
        return WeakValue(image.bitmap.buffer) { [weak animation = image.animation] buffer in
            // Without its animation, what is left is another image.
            if isAnimated, animation == nil { return nil }
            var bitmap = Bitmap(size: size, isOpaque: isOpaque, depth: depth, buffer: buffer)
            bitmap.partialEdges = partialEdges
            let image = DecodedImage(
                bitmap: bitmap,
                info: info,
                fullSize: fullSize,
                colorProfile: colorProfile,
                isPartial: isPartial
            ).replacingAnimation(animation)
            return CachedImage(
                .image(image),
                byteCount: byteCount,
                validity: validity,
                receivedAt: receivedDate,
                isExact: isExact,
                digest: digest
            )
        }
    }
}
