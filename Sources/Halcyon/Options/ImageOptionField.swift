/// A field of ``ImageOptions`` that is either set or left to the defaults of the pipeline.
///
/// Each case stands for one stored value of the options and their groups; a test compares the list with the fields that
/// the groups have.
enum ImageOptionField: Int, CaseIterable, Sendable {
    case processing
    case targetSize
    case priority
    case previews
    case progressive
    case reads
    case freshness
    case staleIfError
    case revalidates
    case storesInMemory
    case storesOnDisk
    case storesOriginal
    case waitsForStore
    case memoryExpiration
    case diskExpiration
    case memoryExtension
    case diskExtension
    case targetCache
    case originalCache
    case keyRule
    case scope
    case serializer
    case readsOriginal
    case fileExtension
    case diskDurability
    case precision
    case frame
    case color
    case keepsSixteenBits
    case usesEmbeddedThumbnail
    case decodeLimits
    case typeHint
    case largestByteCount
    case largestSideLength
    case videoFrame
    case animation
    case processesAllFrames
    case damage
    case codecs
    case networkIsAllowed
    case timeouts
    case transferLimits
    case headers
    case method
    case hooks
    case cookies
    case acceptedStatusCodes
    case acceptedContentTypes
    case downloader
    case retry
    case alternatives
    case lowDataSource
    case allowsMetered
    case callbackExecutor
    case scale
    case imageModifier
    case includesOriginalData
    case observers
    case workers
    case interceptors
    case loaders
    case values

    /// Copies the field's value; of the values of the program's own, those that were set last.
    func copy(from source: ImageOptions.Fields, to fields: inout ImageOptions.Fields) {
        if self == .values { return fields.values.take(recentOf: source.values) }
        accessor.copy(from: source, to: &fields)
    }

    /// Returns whether both have the same value.
    func isEqual(_ left: ImageOptions.Fields, _ right: ImageOptions.Fields) -> Bool {
        accessor.isEqual(left, right)
    }

    private var accessor: any ImageOptionAccessing {
        switch self {
        case .processing: ImageOptionAccessor(path: \.processing)
        case .targetSize: ImageOptionAccessor(path: \.targetSize)
        case .priority: ImageOptionAccessor(path: \.priority)
        case .previews: ImageOptionAccessor(path: \.previews)
        case .progressive: ImageOptionAccessor(path: \.progressive)
        case .reads: ImageOptionAccessor(path: \.cache.reads)
        case .freshness: ImageOptionAccessor(path: \.cache.freshness)
        case .staleIfError: ImageOptionAccessor(path: \.cache.staleIfError)
        case .revalidates: ImageOptionAccessor(path: \.cache.revalidates)
        case .storesInMemory: ImageOptionAccessor(path: \.cache.storesInMemory)
        case .storesOnDisk: ImageOptionAccessor(path: \.cache.storesOnDisk)
        case .storesOriginal: ImageOptionAccessor(path: \.cache.storesOriginal)
        case .waitsForStore: ImageOptionAccessor(path: \.cache.waitsForStore)
        case .memoryExpiration: ImageOptionAccessor(path: \.cache.memoryExpiration)
        case .diskExpiration: ImageOptionAccessor(path: \.cache.diskExpiration)
        case .memoryExtension: ImageOptionAccessor(path: \.cache.memoryExtension)
        case .diskExtension: ImageOptionAccessor(path: \.cache.diskExtension)
        case .targetCache: ImageOptionAccessor(path: \.cache.targetCache)
        case .originalCache: ImageOptionAccessor(path: \.cache.originalCache)
        case .keyRule: ImageOptionAccessor(path: \.cache.keyRule)
        case .scope: ImageOptionAccessor(path: \.cache.scope)
        case .serializer: ImageOptionAccessor(path: \.cache.serializerHook)
        case .readsOriginal: ImageOptionAccessor(path: \.cache.readsOriginal)
        case .fileExtension: ImageOptionAccessor(path: \.cache.fileExtension)
        case .diskDurability: ImageOptionAccessor(path: \.cache.diskDurability)
        case .precision: ImageOptionAccessor(path: \.cache.precision)
        case .frame: ImageOptionAccessor(path: \.decode.frame)
        case .color: ImageOptionAccessor(path: \.decode.color)
        case .keepsSixteenBits: ImageOptionAccessor(path: \.decode.keepsSixteenBits)
        case .usesEmbeddedThumbnail: ImageOptionAccessor(path: \.decode.usesEmbeddedThumbnail)
        case .decodeLimits: ImageOptionAccessor(path: \.decode.limits)
        case .typeHint: ImageOptionAccessor(path: \.decode.typeHint)
        case .largestByteCount: ImageOptionAccessor(path: \.decode.largestByteCount)
        case .largestSideLength: ImageOptionAccessor(path: \.decode.largestSideLength)
        case .videoFrame: ImageOptionAccessor(path: \.decode.videoFrame)
        case .animation: ImageOptionAccessor(path: \.decode.animation)
        case .processesAllFrames: ImageOptionAccessor(path: \.decode.processesAllFrames)
        case .damage: ImageOptionAccessor(path: \.decode.damage)
        case .codecs: ImageOptionAccessor(path: \.decode.codecs)
        case .networkIsAllowed: ImageOptionAccessor(path: \.network.isAllowed)
        case .timeouts: ImageOptionAccessor(path: \.network.timeouts)
        case .transferLimits: ImageOptionAccessor(path: \.network.limits)
        case .headers: ImageOptionAccessor(path: \.network.rules.headers)
        case .method: ImageOptionAccessor(path: \.network.rules.method)
        case .hooks: ImageOptionAccessor(path: \.network.rules.handling.hooks)
        case .cookies: ImageOptionAccessor(path: \.network.rules.cookies)
        case .acceptedStatusCodes: ImageOptionAccessor(path: \.network.rules.handling.acceptedStatusCodes)
        case .acceptedContentTypes: ImageOptionAccessor(path: \.network.rules.handling.acceptedContentTypes)
        case .downloader: ImageOptionAccessor(path: \.network.downloader)
        case .retry: ImageOptionAccessor(path: \.recovery.retryHook)
        case .alternatives: ImageOptionAccessor(path: \.recovery.alternatives)
        case .lowDataSource: ImageOptionAccessor(path: \.recovery.lowDataSource)
        case .allowsMetered: ImageOptionAccessor(path: \.recovery.allowsMetered)
        case .callbackExecutor: ImageOptionAccessor(path: \.delivery.callbackExecutor)
        case .scale: ImageOptionAccessor(path: \.delivery.scale)
        case .imageModifier: ImageOptionAccessor(path: \.delivery.modifier)
        case .includesOriginalData: ImageOptionAccessor(path: \.delivery.includesOriginalData)
        case .observers: ImageOptionAccessor(path: \.delivery.observerHooks)
        case .workers: ImageOptionAccessor(path: \.workers)
        case .interceptors: ImageOptionAccessor(path: \.interceptorHooks)
        case .loaders: ImageOptionAccessor(path: \.loaderHooks)
        case .values: ImageOptionAccessor(path: \.values)
        }
    }
}

/// Reads and writes one field.
private protocol ImageOptionAccessing {
    func copy(from source: ImageOptions.Fields, to fields: inout ImageOptions.Fields)
    func isEqual(_ left: ImageOptions.Fields, _ right: ImageOptions.Fields) -> Bool
}

private struct ImageOptionAccessor<Value: Equatable>: ImageOptionAccessing {
    let path: WritableKeyPath<ImageOptions.Fields, Value>

    func copy(from source: ImageOptions.Fields, to fields: inout ImageOptions.Fields) {
        fields[keyPath: path] = source[keyPath: path]
    }

    func isEqual(_ left: ImageOptions.Fields, _ right: ImageOptions.Fields) -> Bool {
        left[keyPath: path] == right[keyPath: path]
    }
}
