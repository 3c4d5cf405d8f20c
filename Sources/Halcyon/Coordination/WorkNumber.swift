internal import Synchronization

/// Numbers of one sequence for all of this process. They order the beginnings of work and the changes of caches, also
/// where the work is shared between caches.
enum WorkNumber {
    private static let last = Atomic<UInt64>(0)

    /// Returns a number that is higher than all earlier ones.
    static func next() -> UInt64 {
        last.add(1, ordering: .sequentiallyConsistent).newValue
    }
}
