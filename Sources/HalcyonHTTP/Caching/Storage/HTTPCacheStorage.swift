package import FoundationEssentials

/// The responses stored for the URL of one request and for its credential: several, of which the headers of a request
/// choose one (`Vary`).
///
/// No function throws: a storage that fails is one that has nothing.
///
/// Changes by others, of this process and of further ones that share the storage, may come between two calls. So a
/// caller that changes an entry passes the head with which it was found, and the storage compares and changes in one
/// step: a validation must never be noted for a body that it was not about.
package protocol HTTPCacheStorage: Sendable {
    /// Returns the stored response that `matches`; the most recent one if there are several.
    func response(
        where matches: @Sendable (StoredResponse) -> Bool
    ) async -> (head: StoredResponse, body: Data)?

    /// Stores a response in place of those for which `isReplaced` returns `true`.
    func store(
        _ head: StoredResponse,
        body: Data,
        replacing isReplaced: @escaping @Sendable (StoredResponse) -> Bool
    ) async

    /// Replaces the head of a stored response, whose body stays. Does nothing if the response is not there any more, or
    /// has another head or body than when it was found.
    func update(_ head: StoredResponse, replacing previous: StoredResponse) async

    /// Removes a stored response. Does nothing if it has another head or body than when it was found.
    func remove(_ head: StoredResponse) async
}
