internal import Dispatch
internal import HalcyonSystem

/// Removes expired entries, and files that belong to no entry, in the background, a few at a time, for as long as the
/// cache is open.
///
/// A step blocks, so it runs on a queue of its own.
struct DiskSweep: Sendable {
    /// The work that a step has left.
    enum Rest {
        /// There may be more to remove, or others were writing.
        case some
        case none
        /// The cache is closed.
        case ended
    }

    let task: SweepTask
    private let queue = DispatchQueue(label: "halcyon.disk-cache.sweep", qos: .utility)

    /// Begins to sweep, anew if it has begun: after a second, for programs that end soon, then once in each interval.
    func start(_ step: @escaping @Sendable () -> Rest) {
        task.start { [queue] clock, interval in
            var pause = min(interval, Self.firstPause)
            while (try? await clock.sleep(upTo: pause)) != nil, !Task.isCancelled {
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
    }

    /// After the cache is opened: its first look-ups come first.
    private static let firstPause = Duration.seconds(1)
    /// Between two batches: they take a twentieth of the time that they leave to others.
    private static let shortPause = Duration.milliseconds(100)
}

extension DiskCache {
    /// The interval at which expired entries are swept in the background; nil is never. A new interval begins at once.
    /// Less than a millisecond counts as that.
    public var sweepInterval: Duration? {
        get { sweep.task.interval }
        set { sweep.task.interval = newValue }
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
