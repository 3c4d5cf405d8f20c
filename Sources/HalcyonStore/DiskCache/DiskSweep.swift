internal import Dispatch
internal import HalcyonConcurrency

/// Removes expired entries, and files that belong to no entry, in the background, a few at a time, for as long as the
/// cache is open.
///
/// Between two steps it is a sleeping task, which takes no thread. A step blocks, so it runs on a queue of its own.
final class DiskSweep: Sendable {
    /// The work that a step has left.
    enum Rest {
        /// There may be more to remove, or others were writing.
        case some
        case none
        /// The cache is closed.
        case ended
    }

    private struct State {
        var interval: Duration?
        var task: Task<Void, Never>?
        /// The function of a step; nil while the cache is not open.
        var step: (@Sendable () -> Rest)?
    }

    private let clock: any Clock<Duration>
    private let state: Lock<State>
    private let queue = DispatchQueue(label: "halcyon.disk-cache.sweep", qos: .utility)

    init(interval: Duration?, clock: any Clock<Duration>) {
        self.clock = clock
        state = Lock(State(interval: interval))
    }

    deinit {
        state.withLock { $0.task }?.cancel()
    }

    var interval: Duration? {
        get { state.withLock { $0.interval } }
        set {
            let earlier = state.withLock { state in
                state.interval = newValue
                return restart(&state)
            }
            // With no lock held: the cancellation calls the clock, which may be code of the user.
            earlier?.cancel()
        }
    }

    /// Begins to sweep, anew if it has begun: after a second, for programs that end soon, then once in each interval.
    func start(_ step: @escaping @Sendable () -> Rest) {
        let earlier = state.withLock { state -> Task<Void, Never>? in
            state.step = step
            return restart(&state)
        }
        earlier?.cancel()
    }

    /// Ends the sweeping. A step that is running ends by itself.
    func stop() {
        let (task, step) = state.withLock { state in
            defer { (state.task, state.step) = (nil, nil) }
            return (state.task, state.step)
        }
        task?.cancel()
        withExtendedLifetime(step) {}
    }

    /// Makes a new task, and returns the one before it.
    private func restart(_ state: inout State) -> Task<Void, Never>? {
        let earlier = state.task
        state.task = nil
        guard let interval = state.interval, let step = state.step else { return earlier }
        // Its owner, which cancels it, is this object; it holds neither this nor the cache.
        state.task = Task.detached(priority: .utility) { [clock, queue] in
            var pause = min(interval, Self.firstPause)
            while (try? await clock.sleep(for: pause)) != nil, !Task.isCancelled {
                let rest = await withCheckedContinuation { continuation in
                    queue.async { continuation.resume(returning: step()) }
                }
                switch rest {
                case .some: pause = min(interval, Self.shortPause)
                case .none: pause = interval
                case .ended: return
                }
            }
        }
        return earlier
    }

    /// After the cache is opened: its first look-ups come first.
    private static let firstPause = Duration.seconds(1)
    /// Between two batches: they take a twentieth of the time that they leave to others.
    private static let shortPause = Duration.milliseconds(100)
}

extension DiskCache {
    /// The interval at which expired entries are swept in the background; nil is never. A new interval begins at once.
    public var sweepInterval: Duration? {
        get { sweep.interval }
        set { sweep.interval = newValue }
    }

    /// Begins to sweep: an index was opened.
    func beginSweeping() {
        guard !configuration.isReadOnly else { return }
        orphanSearch.withLock { $0.begin(layout) }
        sweep.start { [weak self] in self?.sweepBatch() ?? .ended }
    }

    /// Removes a batch of expired entries, then of files that belong to no entry.
    private func sweepBatch() -> DiskSweep.Rest {
        let (index, isClosed) = state.withLock { ($0.index, $0.isClosed) }
        if isClosed { return .ended }
        guard let index, isPresent(index) else { return .none }
        do {
            let rest = try sweepExpired(in: index)
            return rest == .none ? try sweepOrphans(in: index) : rest
        } catch {
            // The next call that needs the index meets the same error, and deals with it.
            return .none
        }
    }

    /// Removes a batch of expired entries. Does not wait for other writers, unless staged entries have to be written
    /// first, and blocks no reader.
    private func sweepExpired(in index: DiskIndex) throws -> DiskSweep.Rest {
        let listsKeys = !listeners.isEmpty
        let now = now
        guard try index.read({ try $0.hasExpired(at: now) }) else { return .none }
        keepSharedFiles()
        // Entries that were used since are not the ones to remove.
        let pending = touches.withLock { $0.take() }
        let removed = try index.writeWithoutWaiting { connection in
            for (id, touch) in pending { try connection.touch(id, touch, at: now) }
            return try connection.removeExpired(at: now, count: Self.batchSize, listsKeys: listsKeys)
        }
        guard let removed else {
            touches.withLock { buffer in
                for (id, touch) in pending { buffer.putBack(touch, id: id) }
            }
            return .some
        }
        finish(removed, .expired)
        return removed.count + removed.correctedCount < Self.batchSize ? .none : .some
    }
}
