internal import FoundationEssentials
internal import Glibc
internal import Halcyon
internal import HalcyonSystem

extension Player {
    /// Waits for a call. Meanwhile nothing blocks it: processors go on, and an origin that answers on demand answers
    /// all transfers that wait.
    func wait(for running: Running) async {
        let isOver = Lock(false)
        let watcher = Task {
            await running.watcher.value
            isOver.withLock { $0 = true }
        }
        while !isOver.withLock({ $0 }) {
            holds.release()
            origin.deliverAll()
            await Sleep.briefly()
        }
        await watcher.value
    }

    /// The number of pieces of work of both pipelines.
    private var unfinishedWorkCount: Int { pipelines.reduce(0) { $0 + $1.unfinishedWorkCount } }

    /// Waits until nothing happens any more without another step: for a state that stays the same for a while.
    func comeToRest() async {
        var last: [Int] = []
        var repetitions = 0
        while repetitions < 4 {
            let now = [unfinishedWorkCount, origin.startedCount, origin.unfinishedCount, model.time]
            repetitions = now == last ? repetitions + 1 : 0
            last = now
            await Sleep.briefly()
        }
    }

    /// Ends all calls and transfers.
    func settle(flushes: Bool) async {
        holds.release()
        for running in state.withLock({ $0.running }) {
            await wait(for: running)
        }
        // Refreshes of stale images go on without a call.
        while origin.unfinishedCount > 0 || unfinishedWorkCount > 0 {
            origin.deliverAll()
            await Sleep.briefly()
        }
        state.withLock { $0.running = [] }
        await checkEvents()
        if flushes {
            for cache in caches.all { await cache.flush() }
        }
        model.settle(isFlushed: flushes)
    }

    /// Checks the events of all loads, which have ended, against the numbers of the pipeline.
    private func checkEvents() async {
        let observer = state.withLock { $0.observer }
        // Another thread may call observers a moment after the load has returned.
        for recorder in [callObserver, observer].compactMap(\.self) {
            for _ in 0..<20_000 where !recorder.isQuiet { await Sleep.briefly() }
            if !recorder.isQuiet { model.report(.wrongEvents, "a load has ended without an event") }
        }
        let statistics = pipeline.statistics
        let sums = observer?.sums
        let problem = pipelines.compactMap(\.statistics.problem).first ?? sums.flatMap { statistics.problem(with: $0) }
        if let problem { model.report(.wrongStatistics, problem) }
    }

    /// Releases the pipeline, and checks that it is deallocated.
    func stop() async {
        let released = release()
        // Tasks that have ended may hold it for a moment.
        for _ in 0..<20_000 where !released.isFree { await Sleep.briefly() }
        if !released.isFree { model.report(.leftover, "the pipeline is still held after its last call") }
    }

    /// Releases the pipeline and all that refers to it, after the lock.
    private func release() -> Released {
        let parts = state.withLock { state in
            defer {
                (state.pipeline, state.otherPipeline, state.caches, state.pressure) = (nil, nil, nil, nil)
                (state.latest, state.otherDownloader) = (nil, nil)
            }
            return (
                pipeline: state.pipeline, other: state.otherPipeline, latest: state.latest,
                downloader: state.otherDownloader, caches: state.caches
            )
        }
        return withExtendedLifetime(parts) { Released(pipeline: parts.pipeline, other: parts.other) }
    }

    /// Checks what is left when nothing goes on.
    func examine() async {
        fileSystem.set(.healthy)
        for cache in caches.all { await examine(cache) }
    }

    private func examine(_ cache: ImageCache) async {
        let broken = cache.brokenInvariants()
        if !broken.isEmpty { model.report(.brokenStore, "memory: \(broken.joined(separator: "; "))") }
        guard let report = try? await cache.verifyDisk(repair: false) else { return }
        guard report.damaged.isEmpty, report.indexProblems.isEmpty else {
            return model.report(.brokenStore, "disk: \(report.damaged) \(report.indexProblems)")
        }
        // Files that could not be removed are left until the next sweep.
        if !report.isSound, !model.diskHasFailed {
            model.report(.leftover, "on disk: \(report.orphans), exact totals: \(report.hasExactTotals)")
        }
    }

    /// Ends the play.
    func end() async {
        await stop()
        try? FileManager.default.removeItem(atPath: folder)
    }

    /// Ends the play early: the results of running calls do not matter any more.
    func abandon() async {
        holds.release()
        for running in state.withLock({ $0.running }) { running.cancel() }
        origin.deliverAll()
    }
}

/// A pipeline that is released.
private struct Released {
    weak var pipeline: ImagePipeline?
    weak var other: ImagePipeline?

    var isFree: Bool { pipeline == nil && other == nil }
}

extension AnswerModel {
    /// The number of events so far.
    var time: Int { state.withLock { $0.time } }

    /// A Boolean value that indicates whether the disk has ever failed.
    var diskHasFailed: Bool { state.withLock { $0.diskHasFailed } }
}

/// The folder for temporary files.
enum TemporaryFolder {
    static let path = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
}

/// The files that the process has open.
enum OpenFiles {
    static var count: Int {
        (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count) ?? 0
    }
}
