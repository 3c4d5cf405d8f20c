internal import HalcyonHTTP

extension ResolvedRequest {
    /// Removes the original and everything that was made of it from the caches, if an error says that its server does not
    /// have it any more. What newer loads have stored stays.
    ///
    /// - Parameter permits: The permits since the original was asked for. Default: those of the load.
    /// - Returns: A Boolean value that indicates whether the error says so.
    @discardableResult
    func removeOriginal(ifGone error: ImageError, _ permits: StorePermits? = nil) async -> Bool {
        guard case .status(let status) = error.reason, HTTPStatus.isGone(status), followsServer, !isForOthers(error)
        else { return false }
        await removeOriginal(olderThan: StoreClaim(load: self.permits, original: permits, age: .new))
        return true
    }

    /// Removes the original and everything that was made of it from the caches, but for what newer work than that of a
    /// claim has stored.
    func removeOriginal(olderThan claim: StoreClaim) async {
        await ImageCache.removeOriginal(of: key, olderThan: claim, from: caches.all)
    }
}

extension OriginalStage {
    /// Returns an original as ``original(for:context:)`` does. One that its server does not have any more is removed from
    /// the caches, with everything that was made of it, also if the request accepts what the server sends instead.
    func presentOriginal(for request: ResolvedRequest, context: WorkContext) async throws -> Original {
        do {
            let original = try await self.original(for: request, context: context)
            if original.caching.effect == .removeOriginal {
                await request.removeOriginal(olderThan: original.claim(of: request.permits).ofAnswer)
            }
            return original
        } catch let error as ImageError {
            await request.removeOriginal(ifGone: error)
            throw error
        }
    }
}
