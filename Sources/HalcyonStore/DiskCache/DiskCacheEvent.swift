/// An event that a disk cache handled by itself, and reports to its owner.
public enum DiskCacheEvent: Sendable, Hashable {
    /// The folder or the index had vanished and was made again; the cache is empty.
    case recreated(path: String)
    /// The index was damaged, and all entries of the cache were dropped.
    case indexDamaged(path: String, reason: String)
    /// An entry's body was missing, cut short or altered; the entry was removed.
    case entryDamaged(key: String, reason: String)
    /// A call that returns nil instead of throwing met an error. Reported once until a call of its kind succeeds.
    case failure(DiskCacheError)
}
