public import HalcyonStore

/// Shares work with other processes, such as those of a fleet of servers: what one of them makes, the others wait for.
///
/// A pipeline asks for each result, and for each original that a server has, of which no cache has anything that may be used,
/// after it has shared the work within its process, and while it holds nothing that others wait for.
public protocol WorkSharing: Sendable {
    /// Returns a value that one of the processes makes.
    ///
    /// - Parameters:
    ///   - key: The entry of the caches that the value is.
    ///   - stored: Returns the value from the caches; `nil` if they have none that may be used. Called after another process
    ///     has made it.
    ///   - make: Makes the value, and begins to store it.
    ///   - settle: Waits until it is stored. Called after `make`, at any time.
    /// - Throws: The errors of `stored` and `make`; `CancellationError`.
    func value<Value: Sendable>(
        for key: CacheKey,
        stored: () async throws -> Value?,
        make: () async throws -> Value,
        settle: @escaping @Sendable () async -> Void
    ) async throws -> Value
}
