internal import HalcyonSystem

/// A sequence of requests that are taken one at a time.
protocol RequestSequence: AnyObject, Sendable {
    /// Returns the next request; `nil` at the end. Calls come one after the other, from any task.
    func next() async throws -> ImageRequest?
}

/// The requests that an asynchronous sequence has or leads to.
///
/// Unchecked: the iterator is used in ``next()`` alone, whose calls come one after the other.
final class AsyncRequestSequence<Base: AsyncSequence & Sendable>: RequestSequence, @unchecked Sendable {
    private let base: Base
    private let request: @Sendable (Base.Element) -> ImageRequest
    private var iterator: Base.AsyncIterator?

    init(_ base: Base, request: @escaping @Sendable (Base.Element) -> ImageRequest) {
        self.base = base
        self.request = request
    }

    func next() async throws -> ImageRequest? {
        var iterator = self.iterator ?? base.makeAsyncIterator()
        // Held here alone, so that the values of an iterator are not copied at each step.
        self.iterator = nil
        defer { self.iterator = iterator }
        return try await iterator.next().map(request)
    }
}

/// The requests that a sequence has or leads to.
///
/// Unchecked: the iterator is used in ``next()`` alone, whose calls come one after the other.
final class SyncRequestSequence<Base: Sequence & Sendable>: RequestSequence, @unchecked Sendable {
    private let base: Base
    private let request: @Sendable (Base.Element) -> ImageRequest
    private var iterator: Base.Iterator?

    init(_ base: Base, request: @escaping @Sendable (Base.Element) -> ImageRequest) {
        self.base = base
        self.request = request
    }

    func next() -> ImageRequest? {
        if iterator == nil { iterator = base.makeIterator() }
        return iterator?.next().map(request)
    }
}

/// A sequence of requests of a prefetcher, with those that it named lately.
///
/// Unchecked: the variables are used in ``next()`` alone, whose calls come one after the other.
final class PrefetchSequence: @unchecked Sendable {
    /// The number of requests among which equal ones are found.
    static let windowSize = 4_096

    enum Next: Sendable {
        case item(PrefetchItem)
        /// A request that equals one of the window.
        case duplicate
        case end
    }

    private let requests: any RequestSequence
    private let pipeline: ImagePipeline
    private var last: PrefetchItem?
    private var window = BoundedTable<PrefetchItem.CompactIdentity, Bool>(capacity: windowSize)

    init(_ requests: any RequestSequence, in pipeline: ImagePipeline) {
        self.requests = requests
        self.pipeline = pipeline
    }

    /// The number of requests that equal ones are looked for among, for tests.
    var rememberedCount: Int { window.count }

    /// Takes the next request.
    ///
    /// - Throws: The error of the sequence.
    func next() async throws -> Next {
        guard let request = try await requests.next() else { return .end }
        let item = PrefetchItem(request, in: pipeline, after: last)
        last = item
        guard let identity = item.compactIdentity else { return .item(item) }
        if window[identity] != nil { return .duplicate }
        window.insert(true, for: identity)
        return .item(item)
    }
}
