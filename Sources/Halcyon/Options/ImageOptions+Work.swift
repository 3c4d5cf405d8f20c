internal import Synchronization

extension ImageOptions {
    /// A Boolean value that indicates whether a larger image in memory may answer.
    var isInexact: Bool { storage.fields.isInexact }

    /// The processors of a load: that of the target size, then those of the processing. Lengths are as they were given.
    var loadProcessing: ImageProcessorChain {
        _read { yield storage.loadProcessing }
    }

    /// The variant of an original that these options name; `nil` for its first frame at its own size. Encoded once for
    /// all copies of the options.
    var variant: ImageKey.Variant? {
        let (chain, scale) = (storage.loadProcessing, storage.fields.delivery.scale)
        let serializer = storage.fields.cache.serializerHook
        if !chain.hasLengthsInPoints || scale == 1, storage.fields.decode.isIdentity,
            serializer == nil || chain.isIdentity
        {
            return chain.variant
        }
        if let variant = storage.encodedVariant.load() { return variant }
        let variant = ImageKey.Variant.of(
            decode: storage.fields.decode,
            processing: chain.inPixels(atScale: scale),
            serializer: serializer
        )
        // Equal values, of which the first is kept.
        return variant.map { storage.encodedVariant.storeIfNil($0) }
    }

    /// Returns the options of the work that a load shares with others: lengths in pixels, and without what is done to
    /// each response on its own.
    func forWork() -> ImageOptions {
        let delivery = storage.fields.delivery
        guard delivery.scale != 1 || delivery.modifier != nil || storage.fields.targetSize != nil else { return self }
        var fields = storage.fields
        fields.processing = storage.loadProcessing.inPixels(atScale: fields.delivery.scale)
        fields.targetSize = nil
        fields.delivery.scale = 1
        fields.delivery.modifier = nil
        var options = self
        options.storage = Storage(fields)
        return options
    }
}
