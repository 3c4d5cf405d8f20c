internal import HalcyonHTTP

extension ImageOptions {
    /// A Boolean value that indicates whether a load may use the network: a forced refresh may in any case.
    var allowsNetwork: Bool { network.isAllowed || cache.isForcedRefresh }

    /// A Boolean value that indicates whether the original on disk may be used. It is all that the disk has of an image
    /// whose frames are all processed.
    var readsOriginalOnDisk: Bool {
        cache.reads.includesDisk && (cache.readsOriginal || loadProcessing.isIdentity || decode.processesAllFrames)
    }
}

extension ResolvedRequest {
    /// The same request, which finds its original only where it needs no server.
    var withoutNetwork: ResolvedRequest {
        changing { options in
            options.network.isAllowed = false
            options.recovery = RecoveryPolicy()
        }
    }

    /// The same request, which asks the server about its original whatever the disk has.
    var revalidating: ResolvedRequest {
        changing { options in
            options.cache.revalidates = true
            options.cache.staleIfError = .never
        }
    }

    /// The policy by which the HTTP cache is used.
    var cachePolicy: HTTPCachePolicy {
        let lookup: HTTPCachePolicy.Lookup =
            if !options.allowsNetwork {
                .offline
            } else if !work.readsDisk {
                .reload
            } else if options.cache.revalidates {
                .revalidate
            } else {
                .automatic
            }
        return HTTPCachePolicy(lookup: lookup, staleIfError: options.cache.staleIfError)
    }

    /// The error for an image that is in no cache, where only caches may be used.
    var notCached: ImageError { ImageError(stage: .cache, reason: .notCached, source: "\(source)") }
}
