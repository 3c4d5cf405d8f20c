internal import FoundationEssentials
internal import HalcyonSystem

/// A body that is being gathered in a ``PartialBodyStore``, for one transfer alone: the lock on its journal is held.
///
/// Its bytes stand in a file as they are, so that the whole is mapped in the end. Every ``checkpointInterval`` bytes
/// the journal says up to where they are good, and their checksum; bytes that a killed process wrote later are not
/// counted.
final class PartialBody: BodyFile {
    static let checkpointInterval = 256 << 10

    private struct State {
        var count: Int
        /// The checksum of the bytes since the last checkpoint.
        var checksum = Checksum()
        var lastCheckpoint: Int
        var canCheckpoint = true
        var hasNames = true
        var isOpen = true
    }

    /// The properties of the response when the transfer was interrupted.
    let response: PartialResponse
    private let store: PartialBodyStore
    private let name: String
    private let journal: FileDescriptor
    private let body: FileDescriptor
    private let seed: UInt64
    private let state: Lock<State>

    init(
        store: PartialBodyStore,
        name: String,
        response: PartialResponse,
        journal: FileDescriptor,
        body: FileDescriptor,
        seed: UInt64,
        count: Int = 0
    ) {
        self.store = store
        self.name = name
        self.response = response
        self.journal = journal
        self.body = body
        self.seed = seed
        state = Lock(State(count: count, lastCheckpoint: count))
    }

    var count: Int { state.withLock { $0.count } }

    func append(_ bytes: UnsafeRawBufferPointer) throws(FileSystemError) {
        var rest = bytes
        while !rest.isEmpty {
            let room = state.withLock { state in
                state.canCheckpoint ? Self.checkpointInterval - (state.count - state.lastCheckpoint) : rest.count
            }
            let piece = UnsafeRawBufferPointer(rebasing: rest.prefix(room))
            try store.fileSystem.writeAll(body, from: piece)
            state.withLock { state in
                state.checksum.update(piece)
                state.count += piece.count
                if state.count - state.lastCheckpoint >= Self.checkpointInterval { checkpoint(&state) }
            }
            rest = UnsafeRawBufferPointer(rebasing: rest[piece.count...])
        }
        // A body without a stated length, or with a wrong one, may turn out to be too long to keep.
        state.withLock { state in
            if state.count > store.configuration.maximumBytes { removeNames(&state) }
        }
    }

    func copy() throws(FileSystemError) -> Data {
        try store.fileSystem.copy(body, count: count)
    }

    func finish() throws(FileSystemError) -> Data {
        let (count, isAlone) = state.withLock { state in
            removeNames(&state)
            return (state.count, !state.hasNames)
        }
        // A file that others can still reach may be cut short, and must not be mapped.
        return isAlone
            ? try store.fileSystem.bytes(of: body, count: count) : try store.fileSystem.copy(body, count: count)
    }

    func close(keepsBytes: Bool) {
        state.withLock { state in
            guard state.isOpen else { return }
            state.isOpen = false
            if keepsBytes, state.hasNames {
                if state.count > state.lastCheckpoint { checkpoint(&state) }
                if state.lastCheckpoint < max(1, store.configuration.minimumBytes) { removeNames(&state) }
            } else {
                removeNames(&state)
            }
            store.fileSystem.close(body)
            // Last, since it ends the lock.
            store.fileSystem.close(journal)
        }
    }

    /// Adds a record. After one that failed, and may be there in part, no other is added.
    private func checkpoint(_ state: inout State) {
        guard state.canCheckpoint else { return }
        let checkpoint = PartialBodyJournal.Checkpoint(end: state.count, checksum: state.checksum.value)
        do throws(FileSystemError) {
            try store.write(PartialBodyJournal.bytes(of: checkpoint, seed: seed), to: journal)
            state.lastCheckpoint = state.count
            state.checksum = Checksum()
        } catch {
            state.canCheckpoint = false
        }
    }

    private func removeNames(_ state: inout State) {
        guard state.hasNames else { return }
        state.canCheckpoint = false
        // The entry may have been removed by another, and its names be those of the transfer that came after.
        let isRemoved = (try? store.fileSystem.status(of: journal))?.linkCount == 0
        state.hasNames = !isRemoved && !store.removeFiles(name)
    }

    deinit {
        close(keepsBytes: true)
    }
}
