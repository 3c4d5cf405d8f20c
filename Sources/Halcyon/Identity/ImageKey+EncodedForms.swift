internal import HalcyonRaster
internal import HalcyonStore

extension ImageKey {
    /// The key of the encoded form of the image of an original with these options.
    init(original: OriginalKey, options: ImageOptions, encoding: ImageEncoding) {
        let processing = options.loadProcessing.inPixels(atScale: options.delivery.scale)
        let variant = Variant(
            decode: options.decode,
            steps: processing.steps,
            // As in the key of the image, whose variant is the beginning of this one.
            serializer: processing.isIdentity ? nil : options.cache.serializerHook,
            encoding: encoding
        )
        self.init(original: original, variant: variant)
    }

    /// Returns whether this is the key of an encoded form of an image.
    func isEncodedForm(of image: ImageKey) -> Bool {
        hasOriginal(of: image) && variant?.bytes.starts(with: image.encodedVariantPrefix) == true
    }

    /// Returns whether a key on disk is that of this image or of an encoded form of it, as the result of processors.
    func isResult(at diskKey: CacheKey) -> Bool {
        let text = diskKey.text.utf8
        return text.elementsEqual(processedDiskKey.utf8) || text.starts(with: encodedDiskKeyPrefix.utf8)
    }

    /// The beginning of the names on disk of all encoded forms of the image, and of no other entries.
    var encodedDiskKeyPrefix: String { processedDiskKey(of: encodedVariantPrefix) }

    /// The beginning of the variants of all encoded forms of the image.
    private var encodedVariantPrefix: [UInt8] {
        var marker = CacheKeyEncoder()
        marker.beginEncoding()
        return (variant ?? .ofFirstFrame).bytes + marker.bytes
    }
}

extension ImageKey.Variant {
    /// The first frame of an original at its own size, which has no variant in keys of images.
    fileprivate static let ofFirstFrame = ImageKey.Variant(decode: DecodePolicy(), steps: [])
}
