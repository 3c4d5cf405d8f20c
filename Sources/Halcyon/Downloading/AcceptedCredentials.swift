internal import FoundationEssentials
internal import HalcyonHTTP
internal import HalcyonSystem

/// The credentials that servers have accepted, and their folders, so that later requests carry them from the start
/// instead of being refused first.
///
/// A server that accepts a credential for a path is assumed to accept it for all paths at or below that path's folder
/// (RFC 7617, section 2.2).
final class AcceptedCredentials: Sendable {
    private struct Owner: Hashable {
        let origin: Origin
        let responder: ResponderKey
    }

    /// A folder at whose paths a server has accepted a credential.
    private struct ProtectedFolder {
        /// Ends with a slash.
        let path: String
        let proof: CredentialProof
        let responder: KeptResponder
        /// The number of the entry, in the order of all entries.
        let number: Int
    }

    private struct State {
        var folders: [Owner: [ProtectedFolder]] = [:]
        var count = 0
        var lastNumber = 0
    }

    /// The largest numbers of entries for all origins together, and within one. Removing an entry costs a refusal.
    private static let maximumCount = 256
    private static let maximumFolders = 16

    private let state = Lock(State())

    /// Returns the credential to send with a request that has none of its own; `nil` if none is known.
    func proof(for request: TransferRequest, responder: ScopedResponder) -> CredentialProof? {
        guard request.credential == nil, request.headers[.authorization] == nil,
            request.url.user(percentEncoded: true) == nil,
            let owner = Self.owner(of: request.url, responder)
        else { return nil }
        let path = Self.path(of: request.url)
        guard !Self.climbs(path), let folders = state.withLock({ $0.folders[owner] }),
            folders.first?.responder.isReleased == false
        else { return nil }
        let folder = folders.filter { path.hasPrefix($0.path) }.max { $0.path.utf8.count < $1.path.utf8.count }
        guard var proof = folder?.proof else { return nil }
        proof.isUnasked = true
        return proof
    }

    /// Records that a server has accepted a credential for a URL.
    func add(_ proof: CredentialProof, for url: URL, responder: ScopedResponder) {
        let path = Self.path(of: url)
        guard let owner = Self.owner(of: url, responder), !Self.climbs(path), let end = path.lastIndex(of: "/") else {
            return
        }
        let folder = String(path[...end])
        removeReleased()
        let kept = KeptResponder(responder)
        // Released after the lock, as it holds responders of the program.
        var forgotten = State()
        state.withLock { state in
            var folders = state.folders[owner, default: []]
            if folders.contains(where: { folder.hasPrefix($0.path) && $0.proof.credential == proof.credential }) {
                return
            }
            if state.count >= Self.maximumCount {
                swap(&state, &forgotten)
                state.lastNumber = forgotten.lastNumber
                folders = []
            }
            let before = folders.count
            folders.removeAll { $0.path == folder }
            if folders.count >= Self.maximumFolders { folders.removeFirst() }
            state.lastNumber += 1
            folders.append(ProtectedFolder(path: folder, proof: proof, responder: kept, number: state.lastNumber))
            state.count += folders.count - before
            state.folders[owner] = folders
        }
    }

    /// Records that a server no longer accepts a credential.
    func remove(_ proof: CredentialProof, for url: URL, responder: ScopedResponder) {
        guard let owner = Self.owner(of: url, responder) else { return }
        let path = Self.path(of: url)
        // Released after the lock, as it may hold a responder.
        let forgotten = state.withLock { state -> (key: Owner, value: [ProtectedFolder])? in
            guard let index = state.folders.index(forKey: owner) else { return nil }
            let before = state.folders.values[index].count
            state.folders.values[index].removeAll {
                path.hasPrefix($0.path) && $0.proof.credential == proof.credential
            }
            state.count += state.folders.values[index].count - before
            return state.folders.values[index].isEmpty ? state.folders.remove(at: index) : nil
        }
        withExtendedLifetime(forgotten) {}
    }

    /// Removes the entries of responders that are released.
    private func removeReleased() {
        // Looked at without the lock, as each may be released by that.
        let folders = state.withLock { $0.folders }
        let released = folders.filter { $0.value.first?.responder.isReleased ?? false }
        guard !released.isEmpty else { return }
        state.withLock { state in
            for (owner, folders) in released where state.folders[owner]?.first?.number == folders.first?.number {
                state.count -= state.folders.removeValue(forKey: owner)?.count ?? 0
            }
        }
    }

    private static func owner(of url: URL, _ responder: ScopedResponder) -> Owner? {
        Origin(url.absoluteString).map { Owner(origin: $0, responder: responder.key) }
    }

    private static func path(of url: URL) -> String {
        let path = url.path(percentEncoded: true)
        return path.isEmpty ? "/" : path
    }

    /// Returns whether the path may lead out of the folders it names: "/a/../b" is sent as "/b".
    private static func climbs(_ path: String) -> Bool {
        let path = path.lowercased()
        return path.contains("/.") || path.contains("/%2e")
    }
}

/// A credential from a responder, and the realms that it is for.
struct CredentialProof: Sendable, Hashable {
    let credential: Credential
    /// The realms of the challenges it answers.
    let realms: [ExactString?]
    /// A Boolean value that indicates whether it is sent before the server has asked for it.
    var isUnasked = false
}
