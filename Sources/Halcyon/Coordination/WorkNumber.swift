internal import Synchronization

/// Numbers of one sequence for all of this process. They tell which of two pieces of work began first, and whether one began
/// before a cache was changed, also where the work is shared between caches.
enum WorkNumber {
    private static let last = Atomic<UInt64>(0)

    /// A number that is higher than all before.
    static func next() -> UInt64 {
        last.add(1, ordering: .sequentiallyConsistent).newValue
    }
}
