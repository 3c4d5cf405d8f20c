internal import CProcessor
internal import Synchronization

/// The connections of an index that are not in use, at most four: more are not worth their page caches.
///
/// A connection goes back to where the processor that used it looks first, so that two threads that read at the same
/// time each keep theirs: with one list for all they would swap them, and with them the pages that the processor's own
/// cache holds. One that a busy processor has left still serves the others.
///
/// Unchecked: a slot is atomic, and a connection that was taken out of it belongs to the thread that took it.
final class DiskReaders: @unchecked Sendable {
    /// Apart from the next by a line of the processor's cache or more, whatever the alignment.
    private struct Slot: ~Copyable {
        let connection = Atomic<Unmanaged<SQLiteConnection>?>(nil)
        private let space: (Int, Int, Int, Int, Int, Int, Int) = (0, 0, 0, 0, 0, 0, 0)
    }

    private static let count = 4
    private let slots: UnsafeMutablePointer<Slot>

    init() {
        slots = .allocate(capacity: Self.count)
        for index in 0..<Self.count { (slots + index).initialize(to: Slot()) }
    }

    deinit {
        while take() != nil {}
        slots.deinitialize(count: Self.count)
        slots.deallocate()
    }

    /// Removes and returns a connection, if there is one: that of this processor, or else any.
    func take() -> SQLiteConnection? {
        let first = firstSlot
        for step in 0..<Self.count {
            let slot = slots + ((first + step) % Self.count)
            // Looked at before it is written, because what is only read stays with both processors.
            guard slot.pointee.connection.load(ordering: .relaxed) != nil else { continue }
            if let connection = slot.pointee.connection.exchange(nil, ordering: .acquiring) {
                return connection.takeRetainedValue()
            }
        }
        return nil
    }

    /// Returns a connection to the pool, or closes it if there are enough.
    func putBack(_ connection: SQLiteConnection) {
        let retained = Unmanaged.passRetained(connection)
        let first = firstSlot
        for step in 0..<Self.count {
            let slot = slots + ((first + step) % Self.count)
            let (isIn, _) = slot.pointee.connection.compareExchange(
                expected: nil,
                desired: retained,
                ordering: .releasing
            )
            if isIn { return }
        }
        retained.release()
    }

    /// Only a hint: a thread may be moved to another processor at any time.
    private var firstSlot: Int { max(0, Int(halcyon_current_processor())) % Self.count }
}
