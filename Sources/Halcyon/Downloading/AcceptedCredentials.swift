internal import FoundationEssentials
internal import HalcyonConcurrency
internal import HalcyonHTTP

/// The credentials that servers have accepted, and their folders, so that later requests carry them from the start
/// instead of being refused first.
///
/// A server that accepts a credential for a path is assumed to accept it for all paths at or below that path's folder
/// (RFC 7617, section 2.2).
final class AcceptedCredentials: Sendable {
    private struct Owner: Hashable {
        let origin: Origin
        let responder: ScopedResponder
    }

    private struct Place {
        /// Ends with a slash.
        let folder: String
        let proof: CredentialProof
    }

    private struct State {
        var places: [Owner: [Place]] = [:]
        var count = 0
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
        guard !Self.climbs(path), let places = state.withLock({ $0.places[owner] }) else { return nil }
        let place = places.filter { path.hasPrefix($0.folder) }.max { $0.folder.utf8.count < $1.folder.utf8.count }
        guard var proof = place?.proof else { return nil }
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
        // Released after the lock, as it holds objects of the program.
        var forgotten = State()
        state.withLock { state in
            var places = state.places[owner, default: []]
            if places.contains(where: { folder.hasPrefix($0.folder) && $0.proof.credential == proof.credential }) {
                return
            }
            if state.count >= Self.maximumCount {
                swap(&state, &forgotten)
                places = []
            }
            let before = places.count
            places.removeAll { $0.folder == folder }
            if places.count >= Self.maximumFolders { places.removeFirst() }
            places.append(Place(folder: folder, proof: proof))
            state.count += places.count - before
            state.places[owner] = places
        }
    }

    /// Records that a server no longer accepts a credential.
    func remove(_ proof: CredentialProof, for url: URL, responder: ScopedResponder) {
        guard let owner = Self.owner(of: url, responder) else { return }
        let path = Self.path(of: url)
        // Released after the lock: the responder there is equal to this one, but need not be the same object.
        let forgotten = state.withLock { state -> (key: Owner, value: [Place])? in
            guard let index = state.places.index(forKey: owner) else { return nil }
            let before = state.places.values[index].count
            state.places.values[index].removeAll {
                path.hasPrefix($0.folder) && $0.proof.credential == proof.credential
            }
            state.count += state.places.values[index].count - before
            return state.places.values[index].isEmpty ? state.places.remove(at: index) : nil
        }
        withExtendedLifetime(forgotten) {}
    }

    private static func owner(of url: URL, _ responder: ScopedResponder) -> Owner? {
        Origin(url.absoluteString).map { Owner(origin: $0, responder: responder) }
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
    let realms: [String?]
    /// A Boolean value that indicates whether it is sent before the server has asked for it.
    var isUnasked = false
}
