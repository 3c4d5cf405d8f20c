/// Something a disk cache dealt with by itself that its owner may want to know.
public enum DiskCacheEvent: Sendable, Hashable {
    /// The folder or the index had vanished and was made again; the cache is empty.
    case recreated(path: String)
    /// The index was damaged, and everything in the cache was given up.
    case indexDamaged(path: String, reason: String)
    /// An entry's body was missing, cut short or altered; the entry was removed.
    case entryDamaged(key: String, reason: String)
    /// A call that answers nil rather than fail met an error. Reported once until a call of its kind succeeds.
    case failure(DiskCacheError)
}
