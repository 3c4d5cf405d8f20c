public import FoundationEssentials

extension DiskCache {
    /// Stores other metadata beside a body that is there, which is neither read nor written, and a new lifetime.
    ///
    /// - Parameters:
    ///   - expiration: its lifetime from now on; nil leaves it as it is.
    ///   - version: the state of the entry that the metadata is about, as a look-up found it. If the entry is another
    ///     one by now, stored by this process or another, nothing is done. Default: whatever is there.
    /// - Returns: false if there is no such entry, or its time is over.
    /// - Throws: ``DiskCacheError`` if the index cannot be written.
    @discardableResult
    public func updateMetadata(
        _ metadata: Data,
        for key: String,
        expiration: Expiration? = nil,
        replacing version: Version? = nil
    ) throws(DiskCacheError) -> Bool {
        try replaceMetadata(metadata, for: key, expiration: expiration, replacing: version) != nil
    }

    /// Does the same, and returns the state that the entry has now; nil if nothing was done.
    package func replaceMetadata(
        _ metadata: Data,
        for key: String,
        expiration: Expiration?,
        replacing version: Version?
    ) throws(DiskCacheError) -> Version? {
        try failing(.write) {
            try requireWritable(.write)
            let written = try writeBuffers()
            let date = configuration.clock.now()
            let now = DiskTime(date)
            let lifetime = expiration.map { DiskLifetime($0, at: date) }
            var former: StagedEntry?
            defer { withExtendedLifetime(former) {} }
            let (updated, totals) = try withKey(key) { key in
                try withIndex { index in
                    try index.write { connection in
                        let updated: Version?
                        // Nothing is being written meanwhile, so an entry is either waiting or in the index.
                        switch staging.withLock({
                            $0.updateMetadata(metadata, for: key, lifetime, replacing: version, at: now)
                        }) {
                        case .updated(let entry, let version):
                            former = entry
                            updated = version
                        case .refused:
                            updated = nil
                        case .absent:
                            updated = try connection.updateMetadata(
                                metadata,
                                for: key,
                                lifetime,
                                replacing: version,
                                at: now
                            )
                        }
                        return (updated, try connection.totals())
                    }
                }
            }
            if updated != nil || written != nil { keepLimit(totals) }
            return updated
        }
    }
}
