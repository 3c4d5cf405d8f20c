import FoundationEssentials
import HTTPTypes
import HalcyonTesting

@testable import Halcyon

extension OptionTable {
    private static let caches = (0..<2).map { _ in
        ImageCache(disk: DiskCache.Configuration(folder: TestPipeline.temporaryPath()), memoryPressure: nil)
    }

    @Rows static var caching: [Row] {
        Row(
            .reads,
            \.cache.reads,
            .all,
            (.forceRefresh, .none),
            (.fromMemoryCacheOrRefresh, .memory),
            (.fromDiskCacheOrRefresh, .disk)
        )
        Row(
            .freshness,
            \.cache.freshness,
            .server,
            (.ignoringServer, .ignoringServer),
            (.expiration(.never), .expiration(.never))
        )
        Row(
            .staleIfError,
            \.cache.staleIfError,
            .asAllowed,
            (.staleIfError(.never), .never),
            (.staleIfError(.always), .always)
        )
        Row(
            .revalidates,
            \.cache.revalidates,
            false,
            (.revalidate, true),
            (ImageOption(.revalidates) { $0.cache.revalidates = false }, false)
        )
        Row(
            .storesInMemory,
            \.cache.storesInMemory,
            true,
            (.noCache, false),
            (ImageOption(.storesInMemory) { $0.cache.storesInMemory = true }, true)
        )
        Row(
            .storesOnDisk,
            \.cache.storesOnDisk,
            true,
            (.cacheMemoryOnly, false),
            (ImageOption(.storesOnDisk) { $0.cache.storesOnDisk = true }, true)
        )
        Row(
            .storesOriginal,
            \.cache.storesOriginal,
            false,
            (.cacheOriginalImage, true),
            (ImageOption(.storesOriginal) { $0.cache.storesOriginal = false }, false)
        )
        Row(
            .waitsForStore,
            \.cache.waitsForStore,
            false,
            (.waitForCache, true),
            (ImageOption(.waitsForStore) { $0.cache.waitsForStore = false }, false)
        )
        Row(
            .memoryExpiration,
            \.cache.memoryExpiration,
            nil,
            (.memoryCacheExpiration(.never), .never),
            (.memoryCacheExpiration(.days(1)), .days(1))
        )
        Row(
            .diskExpiration,
            \.cache.diskExpiration,
            nil,
            (.diskCacheExpiration(.never), .never),
            (.diskCacheExpiration(.days(1)), .days(1))
        )
        Row(
            .memoryExtension,
            \.cache.memoryExtension,
            .originalLifetime,
            (.memoryCacheAccessExtending(.none), .none),
            (.memoryCacheAccessExtending(.to(.never)), .to(.never))
        )
        Row(
            .diskExtension,
            \.cache.diskExtension,
            .originalLifetime,
            (.diskCacheAccessExtending(.none), .none),
            (.diskCacheAccessExtending(.to(.never)), .to(.never))
        )
        Row(
            .targetCache,
            \.cache.targetCache,
            nil,
            (.targetCache(caches[0]), caches[0]),
            (.targetCache(caches[1]), caches[1])
        )
        Row(
            .originalCache,
            \.cache.originalCache,
            nil,
            (.originalCache(caches[0]), caches[0]),
            (.originalCache(caches[1]), caches[1])
        )
        Row(
            .keyRule,
            \.cache.keyRule,
            nil,
            (.cacheKeyRule(.amazonS3), .amazonS3),
            (.cacheKeyRule(.azureStorage), .azureStorage)
        )
        Row(
            .scope,
            \.cache.scope,
            .credential,
            (.cacheScope("a"), .named("a")),
            (.sharedAcrossCredentials, .sharedAcrossCredentials)
        )
        Row(
            .serializer,
            \.serializer,
            .automatic,
            (.serializer(.original), .original),
            (.serializer(.automatic(quality: 1)), .automatic(quality: 1))
        )
        Row(.readsOriginal, \.cache.readsOriginal, true, (.readsOriginal(false), false), (.readsOriginal(true), true))
        Row(.fileExtension, \.cache.fileExtension, nil, (.fileExtension("jpg"), "jpg"), (.fileExtension("png"), "png"))
        Row(
            .diskDurability,
            \.cache.diskDurability,
            nil,
            (.diskDurability(.full), .full),
            (.diskDurability(.normal), .normal)
        )
        Row(
            .processing,
            \.processing,
            .identity,
            (.processor(.crop(to: PixelSize(1, 1))), .crop(to: PixelSize(1, 1))),
            (.processor(.crop(to: PixelSize(2, 2))), .crop(to: PixelSize(2, 2)))
        )
        Row(.priority, \.priority, .normal, (.priority(.low), .low), (.priority(.high), .high))
    }
}

extension ImageOptions.Fields {
    /// The built-in serializer.
    fileprivate var serializer: ImageSerializer? { cache.serializer as? ImageSerializer }
}
