internal import FoundationEssentials
internal import HalcyonConcurrency
public import HalcyonFiles
public import HalcyonHTTP

/// The answers of responders to servers that asked for credentials, in a file, so that the user of a later process is not
/// asked again.
///
/// **The file holds passwords and tokens as they are.** Its user alone may read it (permissions 0600), but everything that
/// runs as that user can, and so can whoever has a copy of the disk. Use it where the program has no better place, such as the
/// keyring of the desktop, which a responder of the program's own may ask. Nothing is written unless a program makes a store.
///
/// ```swift
/// let store = try CredentialStore(file: folder + "/credentials.json")
/// let responder = store.responder(asking: AuthenticationResponder { demand in await login(demand) })
/// let image = try await pipeline.image(from: url, options: [.authenticationResponder(responder)])
/// ```
///
/// A credential is stored for scheme, host and port, the realms of the challenge (RFC 9110, section 11.5), and the
/// ``AuthenticationResponding/cacheScope`` of the responder, so that no user is given another's. One that the server rejects
/// is removed. Answers to proxies are not stored, as a later proxy may be another one. At most 256 are kept, the newest.
///
/// Several processes may share the file. It is replaced as a whole; a process that ends at any moment leaves the old one or
/// the new one.
public final class CredentialStore: Sendable {
    private struct State {
        var records: [CredentialRecord]
        /// The changes that are not in the file yet: the record of each space, `nil` for one that goes.
        var pending: [CredentialSpace: CredentialRecord?] = [:]
        /// The spaces of which the file may have a record.
        var filed: Set<CredentialSpace>
        /// The spaces of the changes that are being written.
        var writing: Set<CredentialSpace> = []
        var isWriteAhead = false

        init(_ records: [CredentialRecord]) {
            self.records = records
            filed = Set(records.map(\.space))
        }

        /// Notes that the record of a space goes. A record that never came into the file leaves nothing behind: servers
        /// choose their realms, and the changes must not grow for as long as the file cannot be written.
        mutating func forget(_ space: CredentialSpace) {
            if filed.contains(space) || writing.contains(space) {
                pending[space] = .some(nil)
            } else {
                pending.removeValue(forKey: space)
            }
        }
    }

    /// The most credentials that are kept.
    static let maximumCount = 256
    private static let maximumBytes = 4 << 20

    private let file: PrivateFile
    private let onFault: (@Sendable (PrivateFileError) -> Void)?
    private let state: Lock<State>
    private let writer = WorkQueue(name: "halcyon.credentials", width: 1)

    /// A store in a file, which is read here, and made with the first credential. Blocks for as long as the reading takes.
    ///
    /// - Parameters:
    ///   - path: An absolute path. The file of another user, one that others may write, and a symbolic link are refused.
    ///   - fileSystem: The calls to the file system. Default: the machine's.
    ///   - onFault: Called when the file could not be written, on a thread of the store; the changes are kept for the next
    ///     write. Default: `nil`.
    /// - Throws: ``PrivateFileError``.
    public init(
        file path: String,
        fileSystem: any FileSystem = POSIXFileSystem(),
        onFault: (@Sendable (PrivateFileError) -> Void)? = nil
    ) throws(PrivateFileError) {
        file = PrivateFile(path, fileSystem: fileSystem, maximumBytes: Self.maximumBytes)
        self.onFault = onFault
        state = Lock(State(try Self.records(file.read(), file)))
    }

    /// The number of credentials.
    public var count: Int { state.withLock { $0.records.count } }

    /// The number of changes that are not in the file yet, for tests.
    var pendingCount: Int { state.withLock { $0.pending.count } }

    /// Returns a responder that answers with a stored credential where there is one, else with that of another responder,
    /// which it then stores. Responders of one store are equal if those that they ask are.
    public func responder<Base: AuthenticationResponding>(asking base: Base) -> RememberingResponder<Base> {
        RememberingResponder(store: self, base: base)
    }

    /// Removes all credentials, from the file as well.
    public func removeAll() {
        change { state in
            for record in state.records { state.forget(record.space) }
            state.records = []
        }
    }

    /// Waits until the changes are in the file, and takes over those of other processes.
    ///
    /// - Throws: ``PrivateFileError``; the changes are kept for the next write. `CancellationError`, before anything was
    ///   done.
    public func flush() async throws {
        try await writer.run(priority: PriorityBox(.normal)) { [self] _ in try write() }
    }

    /// Returns the credential of a space; `nil` if there is none.
    func credential(for space: CredentialSpace) -> Credential? {
        state.withLock { state in state.records.first { $0.space == space }?.credential }
    }

    /// Stores a credential in place of that of its space.
    func store(_ credential: Credential, for space: CredentialSpace) {
        let record = CredentialRecord(space: space, credential)
        change { state in
            state.records.removeAll { $0.space == space }
            state.records.append(record)
            state.pending[space] = .some(record)
            for old in state.records.prefix(max(0, state.records.count - Self.maximumCount)) {
                state.forget(old.space)
            }
            state.records = state.records.suffix(Self.maximumCount)
        }
    }

    /// Removes a credential, unless another one has taken its place.
    func remove(_ credential: Credential, for space: CredentialSpace) {
        change { state in
            guard let index = state.records.firstIndex(where: { $0.space == space }),
                state.records[index].credential == credential
            else { return }
            state.records.remove(at: index)
            state.forget(space)
        }
    }

    private func change(_ body: (inout State) -> Void) {
        let mustWrite = state.withLock { state in
            body(&state)
            guard !state.pending.isEmpty, !state.isWriteAhead else { return false }
            state.isWriteAhead = true
            return true
        }
        guard mustWrite else { return }
        writer.schedule(priority: .normal) { [self] in
            do throws(PrivateFileError) {
                try write()
            } catch {
                onFault?(error)
            }
        }
    }

    /// Writes the changes into what is in the file, whoever wrote that. On the writer's thread.
    private func write() throws(PrivateFileError) {
        let pending = state.withLock { state in
            state.isWriteAhead = false
            state.writing = Set(state.pending.keys)
            defer { state.pending = [:] }
            return state.pending
        }
        var (read, merged): ([CredentialRecord]?, [CredentialRecord]) = (nil, [])
        do throws(PrivateFileError) {
            try file.update { data throws(PrivateFileError) in
                let found = try Self.records(data, file)
                (read, merged) = (found, Self.merged(found, pending))
                return merged == found ? nil : CredentialRecord.data(merged)
            }
        } catch {
            state.withLock { state in
                state.writing = []
                // The file may have been replaced before the error.
                if let read { state.filed = Set((read + merged).map(\.space)) }
                let (records, filed) = (state.records, state.filed)
                state.pending.merge(pending) { later, _ in later }
                state.pending = state.pending.filter { space, record in
                    record.map(records.contains) ?? filed.contains(space)
                }
            }
            throw error
        }
        state.withLock { state in
            state.writing = []
            state.filed = Set(merged.map(\.space))
            // Those that were changed since are written next.
            state.records = Self.merged(merged, state.pending)
        }
    }

    private static func records(_ data: Data?, _ file: PrivateFile) throws(PrivateFileError) -> [CredentialRecord] {
        guard let data, !data.isEmpty else { return [] }
        guard let records = CredentialRecord.records(data) else { throw file.failure(.malformed) }
        return records.suffix(maximumCount)
    }

    private static func merged(
        _ records: [CredentialRecord],
        _ changes: [CredentialSpace: CredentialRecord?]
    ) -> [CredentialRecord] {
        let kept = records.filter { record in changes[record.space].map { $0 == record } ?? true }
        let new = changes.values.compactMap(\.self).filter { !kept.contains($0) }
        return (kept + new).suffix(maximumCount)
    }
}

extension CredentialStore: Hashable {
    /// Returns whether both are the same object.
    public static func == (left: CredentialStore, right: CredentialStore) -> Bool { left === right }

    /// Hashes the identity of the object.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(ObjectIdentifier(self))
    }
}
