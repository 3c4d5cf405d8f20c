public import FoundationEssentials
internal import HalcyonConcurrency
public import HalcyonHTTP

/// A storage of an ``HTTPCache`` without a disk. It has no limit, so it is for tests.
public final class InMemoryHTTPCacheStorage: HTTPCacheStorage {
    private struct Stored {
        var head: StoredResponse
        let body: Data
    }

    private let responses = Lock<[String: [Stored]]>([:])

    /// Creates an empty storage.
    public init() {}

    /// The keys that have stored responses, in no order.
    public var keys: [String] { responses.withLock { $0.filter { !$0.value.isEmpty }.map(\.key) } }

    /// Returns the heads stored under a key, the latest last.
    public func heads(for key: String) -> [StoredResponse] {
        responses.withLock { $0[key] ?? [] }.map(\.head)
    }

    /// Returns the response that was stored or validated last.
    public func response(
        for key: String,
        where matches: @Sendable (StoredResponse) -> Bool
    ) async -> (head: StoredResponse, body: Data)? {
        let candidates = responses.withLock { $0[key] ?? [] }
        let found = candidates.filter { matches($0.head) }.max { $0.head.responseTime < $1.head.responseTime }
        return found.map { ($0.head, $0.body) }
    }

    /// Stores a response.
    public func store(
        _ head: StoredResponse,
        body: Data,
        for key: String,
        replacing isReplaced: @escaping @Sendable (StoredResponse) -> Bool
    ) async {
        responses.withLock { responses in
            responses[key, default: []].removeAll { isReplaced($0.head) }
            responses[key, default: []].append(Stored(head: head, body: body))
        }
    }

    /// Replaces a head.
    public func update(_ head: StoredResponse, replacing previous: StoredResponse, for key: String) async {
        responses.withLock { responses in
            guard let index = responses[key]?.firstIndex(where: { $0.head == previous }) else { return }
            responses[key]?[index].head = head
        }
    }

    /// Removes a response.
    public func remove(_ head: StoredResponse, for key: String) async {
        responses.withLock { $0[key]?.removeAll { $0.head == head } }
    }

    /// Removes all responses of a key.
    public func removeAll(for key: String) async {
        responses.withLock { $0[key] = nil }
    }
}
