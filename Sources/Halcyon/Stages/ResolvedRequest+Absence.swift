internal import HalcyonHTTP

extension ResolvedRequest {
    /// Adopts the content of an answer in the caches of the load, unless it may be stored in neither.
    ///
    /// - Returns: The caches from whose disks other content has to be removed; see
    ///   ``ImageCache/removeOutdated(_:after:)``.
    private func adopt(_ claim: ContentClaim) -> [ImageCache] {
        guard mayAdopt else { return [] }
        return caches.filter { $0.adopt(claim, for: key) }
    }

    private var mayAdopt: Bool { options.cache.storesInMemory || options.cache.storesOnDisk }

    /// Stores content, and removes what the caches have of other content once that has been stored.
    ///
    /// - Parameters:
    ///   - effect: The effect of the content: that of one load alone replaces nothing.
    ///   - store: Starts the stores, after the content was adopted.
    func replace(
        by claim: ContentClaim,
        _ effect: OriginalCaching.Effect,
        _ store: () async -> [Task<Void, Never>]
    ) async -> [Task<Void, Never>] {
        var claim = claim
        let replaces = mayAdopt && (effect == .store || effect == .remove)
        if replaces, claim.transfer != nil, claim.digest != nil, !work.readsDisk, source.isCachedOnDisk {
            claim.found = await originals.original(inPlaceOf: claim, named: key.originalDiskKey)
        }
        let outdated = replaces ? adopt(claim) : []
        let stores = await store()
        return stores + outdated.compactMap { $0.removeOutdated(claim, after: stores) }
    }

    /// Removes the original and everything that was made of it from the caches, as an answer says that its server has it
    /// no more. What newer loads have stored stays.
    func removeOriginal(by claim: ContentClaim) async {
        var claim = claim
        (claim.digest, claim.representation) = (nil, "")
        // In all caches before the removals are made in one, so that nothing found in one is stored in another.
        let removals = adopt(claim).compactMap { $0.removeOutdated(claim, after: []) }
        for removal in removals { await removal.value }
    }

    /// Removes the original and everything that was made of it from the caches, if an error says that its server does not
    /// have it any more. What newer loads have stored stays.
    @discardableResult
    func removeOriginal(ifGone error: ImageError) async -> Bool {
        guard case .status(let status) = error.reason, HTTPStatus.isGone(status), let claim = claim(of: error) else {
            return false
        }
        await removeOriginal(by: claim)
        return true
    }

    /// Returns the claim of an error to remove what its server says is obsolete; `nil` if it is not the answer of a server
    /// that decides.
    func claim(of error: ImageError) -> ContentClaim? {
        guard followsServer, !error.isOfOtherConfiguration, let transfer = error.transfer else { return nil }
        return ContentClaim(registrations: registrations, transfer: transfer)
    }
}
