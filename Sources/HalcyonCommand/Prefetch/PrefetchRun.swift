internal import Halcyon
internal import HalcyonFleet
internal import HalcyonSystem

/// The work of one machine on a queue: it adds what it was given, loads what there is, and shows what all machines have done.
struct PrefetchRun: Sendable {
    let queue: PrefetchQueue
    let pipeline: ImagePipeline
    let items: [ListItem]
    let list: ListReader?
    let concurrency: Int
    let shared: SharedTier?
    let stays: Bool
    let printsJSON: Bool

    /// A line of `--json`.
    private struct Record: Encodable {
        let added, waiting, running, done, local, failed, workers: Int

        init(_ progress: PrefetchQueueProgress) {
            (added, waiting, running) = (progress.addedCount, progress.waitingCount, progress.runningCount)
            (done, local, failed) = (progress.doneCount, progress.localCount, progress.failedCount)
            workers = progress.workerCount
        }
    }

    /// Runs until the queue is empty.
    ///
    /// - Returns: `false` if an image was given up meanwhile, or a line of the list is no URL.
    /// - Throws: ``FleetError``, `CancellationError`.
    func run(addsOnly: Bool) async throws -> Bool {
        if case .unknown(let answer) = try await queue.open() {
            Terminal.warn(
                "the engine does not say whether it evicts jobs (\(answer)); let maxmemory-policy be noeviction"
            )
        }
        let before = try await queue.progress()
        let (isAdding, isWhole) = (Lock(true), Lock(true))
        let display = addsOnly ? nil : Task { await show() }
        defer { display?.cancel() }
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                defer { isAdding.withLock { $0 = false } }
                let isGood = try await add()
                isWhole.withLock { $0 = isGood }
            }
            if !addsOnly { group.addTask { try await work { isAdding.withLock { $0 } } } }
            // An error of one ends the other.
            while try await group.next() != nil {}
        }
        // Nothing is shown after the last counts.
        display?.cancel()
        await display?.value
        let progress = try await queue.progress()
        finish(progress, before)
        let failedCount = progress.failedCount - before.failedCount
        for failure in failedCount > 0 ? try await queue.failures(limit: failedCount).reversed() : [] {
            Terminal.warn("\(SourceArgument(text: failure.job.source).shownText): given up: \(failure.reason)")
        }
        return progress.failedCount == before.failedCount && isWhole.withLock { $0 }
    }

    /// Loads images until the queue is empty, and nothing more is added by this machine.
    private func work(isAdding: () -> Bool) async throws {
        while true {
            let isLast = !isAdding()
            _ = try await queue.work(
                on: pipeline,
                concurrency: concurrency,
                staysWhenEmpty: stays,
                shared: shared,
                request: Self.request
            )
            if isLast { return }
            // The list may come from a program that is still running.
            try await Task.sleep(for: .milliseconds(200))
        }
    }

    /// Returns the request of a job; `nil` if its source is no server's.
    @Sendable private static func request(_ job: PrefetchJob) -> ImageRequest? {
        let argument = SourceArgument(text: job.source)
        guard argument.path == nil, let source = try? argument.source() else { return nil }
        return ImageRequest(source)
    }

    /// Adds the images, and waits while the queue is full, or the engine cannot be reached.
    ///
    /// - Returns: `false` if some are no URLs.
    private func add() async throws -> Bool {
        var isGood = try await add(items)
        while let items = try await list?.next(), !items.isEmpty {
            isGood = try await add(items) && isGood
        }
        return isGood
    }

    private func add(_ items: [ListItem]) async throws -> Bool {
        var isGood = true
        var jobs: [PrefetchJob] = []
        for item in items {
            let text = item.argument.text.lowercased()
            guard item.problem == nil, text.hasPrefix("http://") || text.hasPrefix("https://") else {
                let problem = item.problem ?? "only http and https URLs can be loaded by another machine"
                Terminal.warn("\(item.argument.shownText): \(problem)")
                isGood = false
                continue
            }
            jobs.append(PrefetchJob(source: item.argument.text))
        }
        var rest = jobs[...]
        while !rest.isEmpty {
            var count = 0
            do {
                count = try await queue.addFirst(of: rest).seen
            } catch let error as FleetError where error.isTransient {}
            rest = rest.dropFirst(count)
            if count == 0 { try await Task.sleep(for: .seconds(1)) }
        }
        return isGood
    }

    /// Shows the progress once a second, until the task is cancelled.
    private func show() async {
        while (try? await Task.sleep(for: .seconds(1))) != nil {
            guard let progress = try? await queue.progress() else { continue }
            if printsJSON {
                Terminal.print(JSONLine.text(Record(progress)))
            } else if Terminal.isInteractive {
                Terminal.writeError("\r\u{1B}[K" + String(Self.line(progress).prefix(max(20, Terminal.width - 1))))
            }
        }
    }

    private func finish(_ progress: PrefetchQueueProgress, _ before: PrefetchQueueProgress) {
        if printsJSON {
            Terminal.print(JSONLine.text(Record(progress)))
        } else {
            if Terminal.isInteractive { Terminal.writeError("\r\u{1B}[K") }
            Terminal.print(Self.line(progress))
        }
    }

    /// The counts in words.
    static func line(_ progress: PrefetchQueueProgress) -> String {
        let open = progress.waitingCount + progress.runningCount
        var parts = ["\(progress.doneCount) done", "\(open) to do"]
        if progress.failedCount > 0 { parts.append("\(progress.failedCount) given up") }
        if progress.localCount > 0 { parts.append("\(progress.localCount) on the disk of one machine alone") }
        parts.append(progress.workerCount == 1 ? "1 worker" : "\(progress.workerCount) workers")
        return parts.joined(separator: ", ")
    }
}
