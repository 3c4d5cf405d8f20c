internal import CProcessor
internal import Synchronization

/// The connections of an index that nobody reads with at the moment, at most four: more are not worth their page caches.
///
/// A connection goes back to where the processor that used it looks first, so that two threads that read at the same
/// time each keep theirs: with one list for all they would swap them, and with them the pages that the processor's own
/// cache holds. One that a busy processor has left behind still serves the others.
///
/// Unchecked: a place is atomic, and what is taken out of it belongs to who took it.
final class DiskReaders: @unchecked Sendable {
    /// Apart from the next by a line of the processor's cache or more, whatever the alignment.
    private struct Place: ~Copyable {
        let connection = Atomic<Unmanaged<SQLiteConnection>?>(nil)
        private let space: (Int, Int, Int, Int, Int, Int, Int) = (0, 0, 0, 0, 0, 0, 0)
    }

    private static let count = 4
    private let places: UnsafeMutablePointer<Place>

    init() {
        places = .allocate(capacity: Self.count)
        for index in 0..<Self.count { (places + index).initialize(to: Place()) }
    }

    deinit {
        while take() != nil {}
        places.deinitialize(count: Self.count)
        places.deallocate()
    }

    /// Takes out a connection, if there is one: that of this processor, or else any.
    func take() -> SQLiteConnection? {
        let first = firstPlace
        for step in 0..<Self.count {
            let place = places + ((first + step) % Self.count)
            // Looked at before it is written, because what is only read stays with both processors.
            guard place.pointee.connection.load(ordering: .relaxed) != nil else { continue }
            if let connection = place.pointee.connection.exchange(nil, ordering: .acquiring) {
                return connection.takeRetainedValue()
            }
        }
        return nil
    }

    /// Puts a connection back, or closes it if there are enough.
    func putBack(_ connection: SQLiteConnection) {
        let retained = Unmanaged.passRetained(connection)
        let first = firstPlace
        for step in 0..<Self.count {
            let place = places + ((first + step) % Self.count)
            let (isIn, _) = place.pointee.connection.compareExchange(
                expected: nil,
                desired: retained,
                ordering: .releasing
            )
            if isIn { return }
        }
        retained.release()
    }

    /// Only a hint: a thread may be moved to another processor at any time.
    private var firstPlace: Int { max(0, Int(halcyon_current_processor())) % Self.count }
}
