internal import FoundationEssentials
internal import HalcyonCodecs
internal import HalcyonRaster
internal import HalcyonStore

/// An image in the memory cache. It has as few references as possible, because a hit counts each: one where the server
/// stated nothing.
struct CachedImage: Sendable {
    let image: DecodedImage
    /// The size of the encoded original.
    let byteCount: Int
    /// The validity that its server stated; `nil` if it stated nothing, and the memory cache holds the image until
    /// ``OriginalValidity/silentEnd`` at most.
    let validity: OriginalValidity?
    /// The time at which it came from its server, or was validated last, in seconds since the reference date; not a
    /// number if there is none, or it is not known. Half the size of an optional date, which each hit would copy.
    private let receivedAt: Double

    /// - Parameters:
    ///   - receivedAt: The date of an image whose validity is not known. Default: `nil`.
    ///   - dropsSilence: `true` if the memory cache removes the image at ``OriginalValidity/silentEnd``, so that a hit
    ///     has nothing to check. Default: `false`.
    init(
        image: DecodedImage,
        byteCount: Int,
        validity: OriginalValidity? = nil,
        receivedAt: Date? = nil,
        dropsSilence: Bool = false
    ) {
        self.init(
            image: image,
            byteCount: byteCount,
            storing: validity.flatMap { $0.isSilent && dropsSilence ? nil : $0 },
            receivedAt: (validity?.response.responseTime ?? receivedAt)?.timeIntervalSinceReferenceDate ?? .nan
        )
    }

    private init(image: DecodedImage, byteCount: Int, storing validity: OriginalValidity?, receivedAt: Double) {
        self.image = image
        self.byteCount = byteCount
        self.validity = validity
        self.receivedAt = receivedAt
    }

    /// The bytes that this value and its key keep in memory, apart from a few hundred that each has.
    func cost(under key: ImageKey) -> Int {
        var cost = key.longByteCount + image.bitmap.byteCount + (validity?.byteCount ?? 0)
        cost += image.info.frameDurations.count * MemoryLayout<Int>.stride
        if case .icc(let profile) = image.colorProfile { cost += profile.count }
        if case .icc(let description) = image.info.colorSpace { cost += description.utf8.count }
        return cost
    }

    /// Returns whether a request that gives the image this lifetime has to ask its server, if it has one.
    func isOver(_ expiration: Expiration, at now: Date) -> Bool {
        guard !receivedAt.isNaN else { return false }
        return expiration.isOver(since: Date(timeIntervalSinceReferenceDate: receivedAt), at: now)
    }

    /// The weak reference by which the image is found after its eviction, for as long as something shows it: its pixels
    /// are then still in memory.
    var weakReference: WeakValue<CachedImage> {
        let info = image.info
        let fullSize = image.fullSize
        let colorProfile = image.colorProfile
        let byteCount = byteCount
        let validity = validity
        let receivedAt = receivedAt
        let size = image.size
        let isOpaque = image.bitmap.isOpaque
        let depth = image.bitmap.depth
        // The pixels by which the image is found must not be changed by code that shows it.
        image.bitmap.buffer.seal()
        return WeakValue(image.bitmap.buffer) { buffer in
            let bitmap = Bitmap(size: size, isOpaque: isOpaque, depth: depth, buffer: buffer)
            return CachedImage(
                image: DecodedImage(bitmap: bitmap, info: info, fullSize: fullSize, colorProfile: colorProfile),
                byteCount: byteCount,
                storing: validity,
                receivedAt: receivedAt
            )
        }
    }
}
