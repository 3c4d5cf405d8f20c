internal import Dispatch
internal import FoundationEssentials
package import HalcyonSystem

/// Loads whole bodies over a transport: short ones in memory, long ones in a file that is mapped in the end, and
/// interrupted ones from where they were, if ``Configuration/partialBodies`` is set.
package final class BodyLoader: Sendable {
    private let transport: any HTTPTransport
    private let configuration: Configuration
    /// The queue on which bodies are written, one piece after the other: a disk gains nothing from more.
    private let writing = DispatchQueue(label: "halcyon.bodies")
    /// The queue on which kept bodies are read and checked, so that no writing waits for it.
    private let reading = WorkQueue(name: "halcyon.partial-bodies", width: 2)

    package init(transport: any HTTPTransport, configuration: Configuration = Configuration()) {
        self.transport = transport
        self.configuration = configuration
    }

    /// Loads the response to a request.
    ///
    /// An interrupted body that is gone on with looks like any other: its response is the 200 of the whole, and
    /// progress counts from what was there. Where bytes are kept, they are when this throws.
    ///
    /// - Parameters:
    ///   - original: The name of the original that it is a request for, by which what is kept of it is removed. Default:
    ///     that of the URL.
    ///   - priority: The urgency, which may change while the transfer waits or runs.
    ///   - send: Called when a request is sent: that for the rest of a body may be followed by one for the whole. Default:
    ///     none.
    ///   - accept: Sees the head before any of the body; what it throws ends the transfer and is thrown here.
    ///   - review: The same, asynchronously: the transfer pauses until it returns, and at most one piece of the body
    ///     is held meanwhile. If the transfer ends first, its task is cancelled and waited for. Default: none.
    ///   - begin: Receives the body that begins to arrive, once its head is accepted by `accept`. Default: none.
    ///   - report: Receives the progress of the body, on the transport's thread. Where there is a `review`, the first
    ///     call may come on its thread.
    /// - Throws: ``TransferError``, or what `accept` or `review` threw. Cancelling the task cancels the transfer
    ///   (``TransferError/cancelled``).
    package func load(
        _ request: TransferRequest,
        of original: String? = nil,
        priority: PriorityBox,
        send: @escaping @Sendable () -> Void = {},
        accept: @escaping @Sendable (TransferResponse) throws -> Void = { _ in },
        review: (@Sendable (TransferResponse) async throws -> Void)? = nil,
        begin: @escaping @Sendable (ReceivedBody) -> Void = { _ in },
        report: @escaping @Sendable (BodyProgress) -> Void = { _ in }
    ) async throws -> HTTPResponseBody {
        guard !Task.isCancelled else { throw TransferError.cancelled }
        let hooks = BodyCollector.Hooks(send: send, accept: accept, review: review, begin: begin, report: report)
        if let store = configuration.partialBodies,
            let key = PartialBodyKey(request, of: original, scope: transport.cacheScope)
        {
            return try await load(request, key, from: store, hooks, priority)
        }
        return try await collector(request, storage, hooks, priority).collect(from: transport, priority: priority)
    }

    /// Loads a response of which a part may be kept.
    ///
    /// Not inlined: a transfer keeps the frame of the call that waits for its body, and most need none of this.
    @inline(never)
    private func load(
        _ request: TransferRequest,
        _ key: PartialBodyKey,
        from store: PartialBodyStore,
        _ hooks: BodyCollector.Hooks,
        _ priority: PriorityBox
    ) async throws -> HTTPResponseBody {
        var storage = storage
        let removals = store.removalCount
        let held = try await take(key, from: store, priority: priority)
        storage.resumption = .init(store: store, key: key, removals: removals, held: held)
        if let held {
            do {
                return try await goOn(with: held, request, storage, hooks, priority)
            } catch is BodyCollector.MustAskAgain {
                storage.resumption?.held = nil
            }
        }
        return try await collector(request, storage, hooks, priority).collect(from: transport, priority: priority)
    }

    /// Waits until what transfers that have ended left behind is written.
    package func waitForWriting() async {
        await withCheckedContinuation { continuation in writing.async { continuation.resume() } }
    }

    private var storage: BodyStorage {
        BodyStorage(
            memoryThreshold: configuration.memoryThreshold,
            memoryTime: configuration.memoryTime,
            temporaryFolder: configuration.temporaryFolder,
            fileSystem: configuration.fileSystem,
            queue: writing
        )
    }

    /// Returns the collector of the response to a request, which has the priority of this moment.
    @inline(never)
    private func collector(
        _ request: TransferRequest,
        _ storage: BodyStorage,
        _ hooks: BodyCollector.Hooks,
        _ priority: PriorityBox
    ) -> BodyCollector {
        var request = request
        let priority = priority.value
        if request.priority != priority { request.priority = priority }
        return BodyCollector(request, storage: storage, hooks: hooks)
    }

    private func take(
        _ key: PartialBodyKey,
        from store: PartialBodyStore,
        priority: PriorityBox
    ) async throws -> PartialBody? {
        do {
            return try await reading.run(priority: priority) { _ in store.take(key) }
        } catch {
            throw TransferError.cancelled
        }
    }

    /// Asks for the rest of a body. Whatever becomes of it, the body is not in use any more afterwards.
    private func goOn(
        with held: PartialBody,
        _ request: TransferRequest,
        _ storage: BodyStorage,
        _ hooks: BodyCollector.Hooks,
        _ priority: PriorityBox
    ) async throws -> HTTPResponseBody {
        let rest = held.response.request(request, after: held.count)
        let result: Result<HTTPResponseBody, any Error>
        do {
            result = .success(
                try await collector(rest, storage, hooks, priority).collect(from: transport, priority: priority)
            )
        } catch {
            result = .failure(error)
        }
        await withCheckedContinuation { continuation in
            // Does nothing where the transfer has closed it already.
            writing.async {
                held.close(keepsBytes: true)
                continuation.resume()
            }
        }
        return try result.get()
    }
}
