public import FoundationEssentials

/// Where an ``HTTPCache`` keeps responses: by a primary key (the URL, followed by a byte 0 and a digest where the request
/// carries a credential), several for each, of which a request's headers
/// choose one (`Vary`).
///
/// No function throws: a storage that fails is one that has nothing. Changes by others may come between two calls.
public protocol HTTPCacheStorage: Sendable {
    /// The response stored under a key that `matches`; the most recent one if there are several.
    func response(
        for key: String,
        where matches: @Sendable (StoredResponse) -> Bool
    ) async -> (head: StoredResponse, body: Data)?

    /// Stores a response in place of those for which `isReplaced` says so.
    func store(
        _ head: StoredResponse,
        body: Data,
        for key: String,
        replacing isReplaced: @escaping @Sendable (StoredResponse) -> Bool
    ) async

    /// Replaces the head of a stored response, if it is still there; its body stays.
    func update(_ head: StoredResponse, replacing previous: StoredResponse, for key: String) async

    /// Removes a stored response, if it is still there.
    func remove(_ head: StoredResponse, for key: String) async

    /// Removes everything stored under a key.
    func removeAll(for key: String) async
}
