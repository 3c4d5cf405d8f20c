internal import HalcyonSystem

/// The previews of one load that are made of its bytes: of the transfer that is the latest of the load.
final class ProgressiveLoads: Sendable {
    private struct State {
        var task: Task<Void, Never>?
        var last: BodyReport?
        var isOver = false
    }

    private let stage: ProgressiveStage
    private let request: ImageRequest
    private let decoded: DecodedWorkKey?
    private let priority: PriorityBox
    private let send: @Sendable (ImagePreview) -> Void
    private let state = Lock(State())

    init(
        _ stage: ProgressiveStage,
        of request: ImageRequest,
        decoded: DecodedWorkKey?,
        priority: PriorityBox,
        send: @escaping @Sendable (ImagePreview) -> Void
    ) {
        self.stage = stage
        self.request = request
        self.decoded = decoded
        self.priority = priority
        self.send = send
    }

    /// Begins with the body that a report names, and ends with that of an earlier transfer.
    func receive(_ report: WorkReport) {
        guard case .receiving(let body) = report else { return }
        let earlier = state.withLock { state -> Task<Void, Never>? in
            if state.isOver { return nil }
            if let last = state.last, !body.isNewer(than: last) { return nil }
            state.last = body
            defer {
                // Owned by the state until the load ends. Detached, so that it inherits neither the priority nor the
                // task-local values of the load.
                state.task = Task.detached { [self] in await run(body) }
            }
            return state.task
        }
        earlier?.cancel()
    }

    private func run(_ body: BodyReport) async {
        let quality = request.options.previews.count
        let context = WorkContext(priority: priority) { [request, send] report in
            guard case .preview(let preview) = report else { return }
            send(
                ImagePreview(
                    response: preview.response.delivered(request.options.delivery),
                    source: request.source,
                    quality: quality,
                    progress: preview.progress,
                    number: preview.number
                )
            )
        }
        var loaded = request
        if let changed = body.request {
            loaded = changed
            // The choice of previews is the caller's.
            loaded.options.progressive = request.options.progressive
        }
        // The decoding of a changed request is another one.
        let shared = body.request == nil ? decoded : nil
        // A failure is one of the previews alone.
        try? await stage.makePreviews(of: body, for: loaded, decoded: shared, context: context)
    }

    /// Ends all; none begins any more.
    func cancelAll() {
        let task = state.withLock { state in
            state.isOver = true
            return state.task
        }
        task?.cancel()
    }
}

extension WorkContext {
    /// Returns the same context, whose reports a function sees as well, first.
    func watching(_ watch: @escaping @Sendable (WorkReport) -> Void) -> WorkContext {
        WorkContext(priority: priority, activities: activities) { [report] work in
            watch(work)
            report(work)
        }
    }
}
