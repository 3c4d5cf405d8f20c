internal import HalcyonCodecs
internal import HalcyonRaster
internal import HalcyonStore

/// What the memory cache holds of an image: no more references than a hit needs to count, which is one where its server
/// says nothing.
struct CachedImage: Sendable {
    let image: DecodedImage
    /// The size of the encoded original.
    let byteCount: Int
    /// What its server says about its use; `nil`: nothing.
    let validity: OriginalValidity?

    init(image: DecodedImage, byteCount: Int, validity: OriginalValidity? = nil) {
        self.image = image
        self.byteCount = byteCount
        self.validity = validity
    }

    /// The bytes this value keeps in memory.
    var cost: Int { image.bitmap.byteCount }

    /// A way to find the image again after eviction, for as long as something shows it: its pixels are then still in
    /// memory.
    var weakReference: WeakValue<CachedImage> {
        let info = image.info
        let fullSize = image.fullSize
        let colorProfile = image.colorProfile
        let byteCount = byteCount
        let validity = validity
        let size = image.size
        let isOpaque = image.bitmap.isOpaque
        let depth = image.bitmap.depth
        // What the image is found by again must not be changed by who shows it.
        image.bitmap.buffer.seal()
        return WeakValue(image.bitmap.buffer) { buffer in
            let bitmap = Bitmap(size: size, isOpaque: isOpaque, depth: depth, buffer: buffer)
            return CachedImage(
                image: DecodedImage(bitmap: bitmap, info: info, fullSize: fullSize, colorProfile: colorProfile),
                byteCount: byteCount,
                validity: validity
            )
        }
    }
}
