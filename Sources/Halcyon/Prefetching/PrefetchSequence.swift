internal import HalcyonSystem

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

    private let request: () async throws -> ImageRequest?
    private let pipeline: ImagePipeline
    private var last: PrefetchItem?
    private var window = BoundedTable<PrefetchItem.Identity, Bool>(capacity: windowSize)

    /// - Parameter request: Returns the next request; `nil` at the end. Calls come one after the other, from any task.
    private init(in pipeline: ImagePipeline, request: @escaping () async throws -> ImageRequest?) {
        self.request = request
        self.pipeline = pipeline
    }

    /// The requests that the elements of a sequence are or lead to.
    convenience init<Base: Sequence>(
        _ base: Base,
        in pipeline: ImagePipeline,
        request: @escaping (Base.Element) -> ImageRequest
    ) {
        // Made by the first call, as it may run code of the program.
        var iterator: Base.Iterator?
        self.init(in: pipeline) {
            if iterator == nil { iterator = base.makeIterator() }
            return iterator?.next().map(request)
        }
    }

    /// The requests that the elements of an asynchronous sequence are or lead to.
    convenience init<Base: AsyncSequence>(
        _ base: Base,
        in pipeline: ImagePipeline,
        request: @escaping (Base.Element) -> ImageRequest
    ) {
        var iterator: Base.AsyncIterator?
        self.init(in: pipeline) {
            if iterator == nil { iterator = base.makeAsyncIterator() }
            return try await iterator?.next().map(request)
        }
    }

    /// The number of requests that equal ones are looked for among, for tests.
    var rememberedCount: Int { window.count }

    /// Takes the next request.
    func next() async throws -> Next {
        guard let request = try await self.request() else { return .end }
        let item = PrefetchItem(request, in: pipeline, after: last)
        last = item
        guard let identity = item.compactIdentity else { return .item(item) }
        if window[identity] != nil { return .duplicate }
        window.insert(true, for: identity)
        return .item(item)
    }
}
