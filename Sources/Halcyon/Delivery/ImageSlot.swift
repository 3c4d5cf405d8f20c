internal import HalcyonConcurrency

/// A place that shows one image at a time, such as a view, a cell of a list, or a device's display: of its loads, the
/// latest counts.
///
/// Starting a load supersedes the one before, whose result is then never delivered, whichever of the two ends first.
/// Each load ends exactly once: with its result, or with ``SupersededError``. A slot is safe to use from any thread;
/// where all calls are made on one actor or queue and results are delivered there, a superseded result never follows
/// the call that superseded it.
///
/// ```swift
/// let slot = ImageSlot()
/// slot.loadImage(with: ImageRequest(url)) { result in … }
/// slot.loadImage(with: ImageRequest(other)) { result in … }   // the first ends with `SupersededError`
/// ```
///
/// Releasing a slot supersedes its load.
public final class ImageSlot: Sendable {
    /// The fate of a superseded load.
    public enum SupersededPolicy: Sendable, Hashable, CaseIterable {
        /// The load is cancelled. Work that the new load shares with it goes on.
        case cancel
        /// The load goes on, so that its image comes into the caches.
        case finish
        /// The load goes on at ``LoadPriority/low``, or below if it was there.
        case finishAtLowPriority
    }

    /// The error of a load that another one of its slot, or the end of the slot, has superseded.
    public struct SupersededError: Error, Sendable, Hashable, CustomStringConvertible {
        /// The error.
        public init() {}

        /// A sentence that names the reason.
        public var description: String { "The image is no longer the one to be shown" }
    }

    private struct Load: Sendable {
        let number: UInt64
        let task: ImageTask
        let relay: CallbackRelay<ImageResponse>
    }

    private struct State {
        var lastNumber: UInt64 = 0
        /// The number of the load that counts.
        var latest: UInt64 = 0
        /// The load that counts, until it has ended.
        var load: Load?
    }

    /// The pipeline that loads the images.
    public let pipeline: ImagePipeline
    /// The fate of superseded loads.
    public let supersededPolicy: SupersededPolicy
    private let state = Lock(State())

    /// An empty slot.
    ///
    /// - Parameters:
    ///   - pipeline: Loads the images. Default: ``ImagePipeline/shared``.
    ///   - supersededPolicy: The fate of superseded loads. Default: they are cancelled.
    public init(pipeline: ImagePipeline = .shared, supersededPolicy: SupersededPolicy = .cancel) {
        self.pipeline = pipeline
        self.supersededPolicy = supersededPolicy
    }

    deinit {
        clear()
    }

    /// The task of the load that counts, until its result is delivered; `nil` if there is none.
    public var task: ImageTask? { state.withLock { $0.load?.task } }

    /// Starts a load, which supersedes the one before.
    ///
    /// - Parameters:
    ///   - request: The source and the options.
    ///   - executor: The place where the closures are called; `nil`: that of the options
    ///     (``DeliveryPolicy/callbackExecutor``). Default: `nil`.
    ///   - progress: Called when bytes have been received, until the load is superseded. Default: `nil`.
    ///   - completion: Called exactly once. The error is an ``ImageError``, ``SupersededError``, or `CancellationError`
    ///     if the task was cancelled.
    @discardableResult
    public func loadImage(
        with request: ImageRequest,
        on executor: CallbackExecutor? = nil,
        progress: (@Sendable (ImageProgress) -> Void)? = nil,
        completion: @escaping @Sendable (Result<ImageResponse, any Error>) -> Void
    ) -> ImageTask {
        let task = pipeline.task(for: request)
        begin(nextNumber(), task, on: executor, progress: progress, completion: completion)
        return task
    }

    /// Loads an image, which supersedes the load before. Cancelling the calling task cancels the load.
    ///
    /// - Parameters:
    ///   - request: The source and the options.
    ///   - isolation: The actor of the caller. Default: that.
    /// - Throws: ``ImageError``, ``SupersededError``, `CancellationError`.
    public func response(
        for request: ImageRequest,
        isolation: isolated (any Actor)? = #isolation
    ) async throws -> ImageResponse {
        let task = pipeline.task(for: request)
        let number = nextNumber()
        let response = try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                begin(number, task, on: .calling, progress: nil) { continuation.resume(with: $0) }
            }
        } onCancel: {
            task.cancel()
        }
        // The actor may have begun another load since the continuation was resumed.
        guard state.withLock({ $0.latest == number }) else { throw SupersededError() }
        return response
    }

    /// Supersedes the load without starting another.
    public func clear() {
        let number = nextNumber()
        let superseded = state.withLock { state in
            state.latest = number
            defer { state.load = nil }
            return state.load
        }
        if let superseded { supersede(superseded) }
    }

    private func nextNumber() -> UInt64 {
        state.withLock { state in
            state.lastNumber += 1
            return state.lastNumber
        }
    }

    private func begin(
        _ number: UInt64,
        _ task: ImageTask,
        on executor: CallbackExecutor?,
        progress: (@Sendable (ImageProgress) -> Void)?,
        completion: @escaping @Sendable (Result<ImageResponse, any Error>) -> Void
    ) {
        let executor = executor ?? task.request.options.delivery.callbackExecutor
        let relay = CallbackRelay<ImageResponse>(executor, progress: progress) { [weak self] result in
            self?.end(number)
            completion(result)
        }
        let superseded = state.withLock { state in
            state.latest = number
            let superseded = state.load
            state.load = Load(number: number, task: task, relay: relay)
            return superseded
        }
        if let superseded { supersede(superseded, by: task) }
        // From here on the load may be delivered, and a completion may begin another one.
        task.relay(to: relay)
    }

    /// Forgets a load that has ended, and with it the image.
    private func end(_ number: UInt64) {
        let ended = state.withLock { state -> Load? in
            guard state.load?.number == number else { return nil }
            defer { state.load = nil }
            return state.load
        }
        withExtendedLifetime(ended) {}
    }

    private func supersede(_ load: Load, by task: ImageTask? = nil) {
        load.relay.replaceEnd(with: .failure(SupersededError()))
        load.task.supersede(by: task, policy: supersededPolicy)
    }
}

extension ImageTask {
    /// Gives the work of this task up for another one that takes its place.
    ///
    /// - Parameters:
    ///   - next: That task; `nil` if there is none.
    ///   - policy: The fate of this task.
    package func supersede(by next: ImageTask?, policy: ImageSlot.SupersededPolicy) {
        switch policy {
        case .cancel:
            if let next, next.request.source.hasTransfer(of: request.source) {
                // Not before the new load has joined the work, which would be cancelled and begun anew. Sources that
                // differ in their cache keys alone share the transfer.
                next.whenUnderWay { self.cancel() }
            } else {
                cancel()
            }
        case .finish: break
        case .finishAtLowPriority: priority = min(priority, .low)
        }
    }
}
