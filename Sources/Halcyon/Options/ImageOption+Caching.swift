public import HalcyonStore

extension ImageOption {
    /// Takes the image from disk or loads it anew, without looking into memory; the result is stored in memory.
    public static var fromDiskCacheOrRefresh: ImageOption {
        ImageOption(true) { $0.cache.reads = .disk }
    }

    /// Sets whether a processed image may be made of the original in a cache; see ``CachePolicy/readsOriginal``.
    public static func readsOriginal(_ isAllowed: Bool) -> ImageOption {
        ImageOption(isAllowed) { $0.cache.readsOriginal = isAllowed }
    }

    /// Sets the encoding of processed images for the disk.
    public static func serializer(_ serializer: some ImageSerializing) -> ImageOption {
        let hook = SerializerHook(serializer)
        return ImageOption(hook) { $0.cache.serializerHook = hook }
    }

    /// Sets the safety of what is stored on disk from a crash and from a loss of power; see
    /// ``CachePolicy/diskDurability``.
    public static func diskDurability(_ durability: DiskCache.Durability) -> ImageOption {
        ImageOption(durability) { $0.cache.diskDurability = durability }
    }
}
