extension CachePolicy {
    /// A Boolean value that indicates whether no cache may answer: the load is a forced refresh
    /// (``ImageOption/forceRefresh``), which joins other such loads alone, and asks also a server that failed lately.
    var isForcedRefresh: Bool { reads == .none }
}

extension ImageOptions {
    /// A Boolean value that indicates whether the original on disk may be used. It is all that the disk has of an image
    /// whose frames are all processed.
    var readsOriginalOnDisk: Bool {
        cache.reads.includesDisk && (cache.readsOriginal || loadProcessing.isIdentity || decode.processesAllFrames)
    }
}

extension ResolvedRequest {
    /// The same request, with its original from the source.
    var withoutReadingDisk: ResolvedRequest {
        replacing(work: work(options, readsDisk: false), options: options)
    }
}
