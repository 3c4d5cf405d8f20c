internal import HTTPTypes
internal import HalcyonHTTP

/// Two options of one request that cannot both hold, so that its load fails with
/// ``ImageError/Reason/contradictoryOptions(_:)`` before anything is read or sent.
///
/// Options of which one takes precedence are no contradiction: ``ImageOption/forceRefresh`` goes before
/// ``ImageOption/onlyFromCache``, and that before ``ImageOption/revalidate``. An image in memory is returned without
/// the check.
public enum OptionContradiction: String, Sendable, Hashable, CaseIterable {
    /// ``ImageOption/noCache`` and ``ImageOption/onlyFromCache``.
    case noCacheAndOnlyFromCache
    /// ``ImageOption/onlyFromCache`` and hooks without a ``DownloadHooks/cacheIdentity``, whose result no cache has.
    case unnamedHooksAndOnlyFromCache
    /// ``ImageOption/onlyFromCache`` and a method other than GET, or a body, for a source without a cache key, whose
    /// response no cache has.
    case unnamedResponseAndOnlyFromCache
    /// A serializer that stores the original in the place of results (``ImageSerializing/storesOriginal``), and
    /// ``ImageOption/readsOriginal(_:)`` with `false`.
    case originalSerializerAndNoOriginal
}

extension OptionContradiction: CustomStringConvertible {
    /// A sentence that names the options, and the way to resolve the contradiction.
    public var description: String {
        switch self {
        case .noCacheAndOnlyFromCache:
            "noCache forbids the caches and onlyFromCache the network, so nothing can answer: "
                + "leave one of them out, or use forceRefresh"
        case .unnamedHooksAndOnlyFromCache:
            "onlyFromCache forbids the network, and the result of hooks without an identity is in no cache: "
                + "give the hooks a cacheIdentity, or leave onlyFromCache out"
        case .unnamedResponseAndOnlyFromCache:
            "onlyFromCache forbids the network, and a response to a method other than GET, or to a body, is in no "
                + "cache without a cache key: give the source a cacheKey, or leave onlyFromCache out"
        case .originalSerializerAndNoOriginal:
            "the serializer stores the original in the place of the processed image, and readsOriginal(false) forbids "
                + "its use: choose another serializer, or allow the use"
        }
    }
}

extension OptionContradiction {
    /// Creates the first contradiction among the options of a request; `nil` if there is none.
    ///
    /// - Parameter defaults: The additions of a downloader to all requests.
    init?(_ options: ImageOptions, for source: Source, over defaults: NetworkPolicy) {
        let cache = options.cache
        if !cache.readsOriginal, cache.reads.includesDisk, !options.loadProcessing.isIdentity, cache.keepsOriginalOnly {
            self = .originalSerializerAndNoOriginal
            return
        }
        guard !options.network.isAllowed, let transfer = source.transfer(options, over: defaults) else { return nil }
        if cache.isForcedRefresh {
            // One that stores its result uses the network.
            guard !cache.storesInMemory, !cache.storesOnDisk else { return nil }
            self = .noCacheAndOnlyFromCache
        } else if options.network.hookIdentities(over: options.network.additions(or: defaults)) == nil {
            self = .unnamedHooksAndOnlyFromCache
        } else if source.cacheKey == nil, transfer.method != .get || transfer.body != nil {
            self = .unnamedResponseAndOnlyFromCache
        } else {
            return nil
        }
    }
}
