public import HalcyonHTTP

/// A responder that answers with the credentials of a ``CredentialStore``, and stores those of another responder; see
/// ``CredentialStore/responder(asking:)``.
public struct RememberingResponder<Base: AuthenticationResponding>: AuthenticationResponding {
    let store: CredentialStore
    let base: Base

    /// The scope of the responder that is asked, whose users' credentials are kept apart.
    public var cacheScope: String? { base.cacheScope }

    /// Returns the stored credential, unless that was rejected; then that of the other responder, which is stored.
    public func credential(for demand: AuthenticationDemand) async throws -> Credential? {
        guard let space = CredentialSpace(demand, scope: base.cacheScope) else {
            return try await base.credential(for: demand)
        }
        if let stored = store.credential(for: space) {
            guard stored == demand.rejected else { return stored }
            store.remove(stored, for: space)
        }
        let credential = try await base.credential(for: demand)
        // One that was just rejected is not tried again.
        if let credential, credential != demand.rejected { store.store(credential, for: space) }
        return credential
    }
}
