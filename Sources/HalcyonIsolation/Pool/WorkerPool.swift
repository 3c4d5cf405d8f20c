internal import CIsolation
internal import Glibc
package import HalcyonCodecs
internal import HalcyonSystem

/// The workers of a program, each a confined process that decodes one image at a time.
///
/// A worker is forked when none is idle, so that there are as many as threads that decode, and ends after a time without
/// work. A worker serves one scope; where the next request has another, a new one is forked, and no worker holds the images
/// of two users.
package final class WorkerPool: Sendable {
    /// The settings of a pool.
    package struct Configuration: Sendable {
        /// The bytes of private writable memory of a worker. Default: 1.5 GiB.
        package var memory = 3 << 29
        /// The processor time of a worker, over all its images, in seconds. One that has taken half of it is replaced.
        /// Default: 240.
        package var processorSeconds = 240
        /// The protection that workers try to reach. Default: all.
        package var steps: IsolationSet = .all
        /// Whether a system call that no filter lists ends the worker, instead of failing. Default: `false`.
        package var isStrict = false
        /// The time for cancelled work to end before its worker is ended. Default: 20 ms.
        package var cancellationDuration: Duration = .milliseconds(20)
        /// The number of idle workers that are kept. Default: the number of processors.
        package var idleCount = ProcessorCount.available
        /// The number of idle workers that are kept besides for their sessions, such as open animations. Default: 64.
        package var sessionCount = 64
        /// The bytes of shared memory that idle workers keep, together: one beyond them gives that of its pixels back.
        /// Default: 64 MiB.
        package var sharedByteCount = 64 << 20
        /// The time after which an idle worker ends, and after the last one the process that forks them. Default: 30 s.
        package var idleDuration: Duration = .seconds(30)
        /// The time for which a file is refused that ended a worker. Default: 10 minutes.
        package var refusalDuration: Duration = .seconds(600)
        /// The number of files that are remembered for it. Default: 256.
        package var refusalCount = 256
        /// The program that becomes the workers; `nil` if there is none.
        package var program: @Sendable () -> String? = { HalcyonWorker.program() }
        /// Nanoseconds of a clock that never goes back.
        package var now: @Sendable () -> Int64 = { halcyon_monotonic_time() }
        /// Waits so many nanoseconds, at most 5 ms, as a part of the time before a worker is started after several have ended.
        package var pause: @Sendable (Int64) -> Void = { nanoseconds in
            var time = timespec(tv_sec: Int(nanoseconds / 1_000_000_000), tv_nsec: Int(nanoseconds % 1_000_000_000))
            nanosleep(&time, nil)
        }

        package init() {}
    }

    private struct Idle {
        let worker: WorkerConnection
        let kind: WorkerKind
        let scope: String
        let since: Int64

        func serves(_ request: WorkerRequest, memory: Int) -> Bool {
            kind == request.kind && scope == request.scope && worker.memory == memory
        }
    }

    private struct State {
        /// The one that was used last is at the end.
        var idle: [Idle] = []
        /// By scope: the files of one user slow down the images of that user.
        var restarts: [String: RestartPolicy] = [:]
        var refused: RefusedInputs
        var hasStarted = false
        var reaper: Task<Void, Never>?
        /// The process whose workers they are.
        var owner = getpid()
    }

    /// The workers of this process.
    package static let shared = WorkerPool()

    private let configuration: Configuration
    private let zygote: ZygoteConnection
    /// Another one, because finding fonts may take long, for which the others do not wait.
    private let zygoteOfDrawings: ZygoteConnection
    private let state: Lock<State>

    /// A pool without workers, which are started when they are needed.
    package init(_ configuration: Configuration = Configuration()) {
        self.configuration = configuration
        zygote = ZygoteConnection(program: configuration.program)
        zygoteOfDrawings = ZygoteConnection(program: configuration.program)
        state = Lock(
            State(
                refused: RefusedInputs(
                    capacity: configuration.refusalCount,
                    duration: configuration.refusalDuration.nanoseconds
                )
            )
        )
    }

    deinit {
        state.withLock { $0.reaper }?.cancel()
    }

    /// Whether a worker has ever started. From then on its crashes are errors, and never a reason to decode in the program.
    package var hasStarted: Bool { state.withLock { $0.hasStarted } }

    /// Process identifiers of the idle workers.
    package var idleProcesses: [Int32] { state.withLock { $0.idle.map(\.worker.process) } }

    /// The bytes of shared memory that the idle workers keep.
    package var sharedByteCount: Int {
        state.withLock { $0.idle.reduce(0) { $0 + $1.worker.sharedByteCount } }
    }

    /// The process that forks workers of a kind; `nil` if it is not running.
    package func zygoteProcess(for kind: WorkerKind = .stills) -> Int32? { zygote(for: kind).process }

    private func zygote(for kind: WorkerKind) -> ZygoteConnection {
        kind == .drawings ? zygoteOfDrawings : zygote
    }

    // MARK: Work

    /// Has a worker do the work, on the calling thread, which waits for it.
    ///
    /// A file that ended a worker which had served others, other than by its time, is tried once more in a fresh one, and so is
    /// one whose worker ended for a reason that nobody knows.
    ///
    /// - Parameters:
    ///   - isCancelled: Asked every 5 ms. A worker that does not end its work then is ended.
    ///   - receive: Copies the pixels.
    /// - Throws: ``IsolationError``; ``WorkerFailure``; `CancellationError`; what `receive` throws.
    package func perform<Result>(
        _ request: WorkerRequest,
        _ input: WorkerInput,
        isCancelled: () -> Bool = { false },
        receive: (WorkerResponse) throws -> Result
    ) throws -> Result {
        let work = RefusedInputs.Work(frame: request.frame, memory: request.memory ?? configuration.memory)
        if let loss = refusedLoss(input, work) { throw IsolationError.refused(loss) }
        var hasFailed = false
        while true {
            if isCancelled() { throw CancellationError() }
            let worker = try worker(for: request, mustBeFresh: hasFailed, isCancelled: isCancelled)
            let isUsed = worker.servedCount > 0
            if let name = request.name, !worker.names.contains(name) {
                finish(worker, request)
                throw IsolationError.noDecoder(type: name)
            }
            // What it keeps is of the same input.
            let isContinued = !request.sendsAll && request.session != nil && worker.session == request.session
            worker.session = request.session
            do {
                defer { finish(worker, request) }
                return try worker.perform(
                    request,
                    isContinued ? .bytes(UnsafeRawBufferPointer(start: nil, count: 0)) : input,
                    cancellationTime: configuration.cancellationDuration.nanoseconds,
                    isCancelled: isCancelled,
                    receive: receive
                )
            } catch WorkerConnection.Ending.cancelled {
                throw CancellationError()
            } catch let ending as WorkerConnection.Ending {
                let loss = loss(of: worker, ending, request)
                // The rest of an image that arrives is of no use without the part before it.
                // A second attempt would take as long as the first where that took its time.
                if isUsed && !ending.isOfTime || loss.cause == .unknown, !hasFailed, !request.sendsAll {
                    hasFailed = true
                    continue
                }
                let isOfImage = ending.isOfInput(request) && loss.cause != .unknown
                state.withLock { state in
                    Self.restarts(of: request.scope, &state) { restarts in
                        if isOfImage { restarts.recordLostImage() }
                        if loss.cause == .unknown { restarts.recordFailedStart(now: configuration.now()) }
                    }
                }
                if isOfImage, !request.sendsAll, input.byteCount > 0, let name = input.name() {
                    state.withLock {
                        $0.refused.insert(
                            byteCount: input.byteCount,
                            name: name,
                            work: work,
                            loss: loss,
                            now: configuration.now()
                        )
                    }
                }
                throw IsolationError.workerLost(loss)
            }
        }
    }

    /// Starts a worker if none is idle, and returns the protection that it has.
    ///
    /// - Throws: ``IsolationError``.
    package func report(for kind: WorkerKind) throws -> IsolationReport {
        let request = WorkerRequest(kind: kind, required: [], format: "none")
        let worker = try worker(for: request, mustBeFresh: false) { false }
        finish(worker, request)
        return worker.report
    }

    private func refusedLoss(_ input: WorkerInput, _ work: RefusedInputs.Work) -> WorkerLoss? {
        let (count, now) = (input.byteCount, configuration.now())
        guard state.withLock({ $0.refused.mayContain(byteCount: count, for: work, now: now) }), let name = input.name()
        else {
            return nil
        }
        return state.withLock { $0.refused.loss(byteCount: count, name: name, for: work, now: now) }
    }

    private func loss(
        of worker: WorkerConnection,
        _ ending: WorkerConnection.Ending,
        _ request: WorkerRequest
    ) -> WorkerLoss {
        let cause: WorkerLoss.Cause
        switch ending {
        case .itself:
            switch zygote(for: request.kind).end(of: worker.identifier) {
            case (Int32(CLD_EXITED), let status)?: cause = .exit(status: status)
            case (_, SIGXCPU)?: cause = .processorTime
            case (_, let signal)?: cause = .signal(signal)
            case nil: cause = .unknown
            }
        case .trapped(let number): cause = .systemCall(number: number)
        case .nonsense(let answer): cause = .answer(reason: answer.reason)
        case .time, .cancelled: cause = .time
        case .processorTime: cause = .processorTime
        }
        return WorkerLoss(format: request.format, file: request.file, cause: cause, reached: worker.report.reached)
    }

    /// The scopes whose losses are counted.
    private static let restartCapacity = 1_024

    private static func restarts<Result>(
        of scope: String,
        _ state: inout State,
        _ body: (inout RestartPolicy) -> Result
    ) -> Result {
        if state.restarts[scope] == nil, state.restarts.count >= restartCapacity { state.restarts = [:] }
        return body(&state.restarts[scope, default: RestartPolicy()])
    }

    // MARK: Workers

    private func worker(
        for request: WorkerRequest,
        mustBeFresh: Bool,
        isCancelled: () -> Bool
    ) throws -> WorkerConnection {
        if !mustBeFresh, let worker = idleWorker(for: request) {
            guard worker.report.reached.isSuperset(of: request.required) else {
                finish(worker, request)
                throw IsolationError.notReached(required: request.required, worker.report)
            }
            return worker
        }
        try waitForAdmission(request, isCancelled)
        let worker = try start(request, memory: request.memory ?? configuration.memory, isCancelled)
        guard worker.report.reached.isSuperset(of: request.required) else {
            finish(worker, request)
            throw IsolationError.notReached(required: request.required, worker.report)
        }
        return worker
    }

    /// The time for which an image waits until a worker may be started: the longest pause, and that of one more try.
    private static let longestWait: Int64 = 10_000_000_000
    private static let lookTime: Int64 = 5_000_000

    /// Waits until a worker may be started. Where none ever has, nothing says that one will: nobody waits for it.
    private func waitForAdmission(_ request: WorkerRequest, _ isCancelled: () -> Bool) throws {
        var waited: Int64 = 0
        while true {
            let (admission, count, hasStarted) = state.withLock { state in
                let hasStarted = state.hasStarted
                return Self.restarts(of: request.scope, &state) {
                    ($0.admit(now: configuration.now()), $0.failedStartCount, hasStarted)
                }
            }
            switch admission {
            case .start: return
            case .startAfter(let pause): return try wait(pause, isCancelled)
            case .wait(let pause):
                guard hasStarted, waited < Self.longestWait else {
                    throw IsolationError.crashing(workersLost: count)
                }
                // Another image may have found meanwhile that workers start again.
                let part = min(pause, Self.lookTime)
                try wait(part, isCancelled)
                waited += part
            }
        }
    }

    private func wait(_ duration: Int64, _ isCancelled: () -> Bool) throws {
        for start in stride(from: 0, to: duration, by: Int(Self.lookTime)) {
            if isCancelled() { throw CancellationError() }
            configuration.pause(min(Self.lookTime, duration - start))
        }
    }

    /// Takes the idle worker that was used last, so that the others reach their end.
    private func idleWorker(for request: WorkerRequest) -> WorkerConnection? {
        forgetForeign()
        while true {
            let memory = request.memory ?? configuration.memory
            let worker: WorkerConnection? = state.withLock { state in
                let own = request.session.flatMap { session in
                    state.idle.lastIndex { $0.serves(request, memory: memory) && $0.worker.session == session }
                }
                return (own ?? state.idle.lastIndex { $0.serves(request, memory: memory) && $0.worker.session == nil })
                    .map { state.idle.remove(at: $0).worker }
            }
            // One that was ended from outside meanwhile serves nobody, and neither does one that works on its own.
            guard let worker else { return nil }
            let isOwn = worker.session != nil
            if worker.isRunning, !worker.isBusy, isOwn || worker.sharedInAll <= memory { return worker }
            worker.kill()
        }
    }

    /// Forgets the workers of the process from which this one was forked: two processes that ask one worker would take each
    /// other's answers.
    private func forgetForeign() {
        let process = getpid()
        let foreign: [Idle] = state.withLock { state in
            guard state.owner != process else { return [] }
            defer { (state.owner, state.idle, state.reaper) = (process, [], nil) }
            return state.idle
        }
        withExtendedLifetime(foreign) {}
    }

    private func start(
        _ request: WorkerRequest,
        memory: Int,
        _ isCancelled: () -> Bool
    ) throws -> WorkerConnection {
        let kind = request.kind
        let confinement = ZygoteConnection.Confinement(
            kind: kind,
            steps: configuration.steps,
            isStrict: configuration.isStrict,
            memory: memory,
            processorSeconds: configuration.processorSeconds
        )
        // Also where none starts: the process that forks them may have.
        defer { startReaper() }
        let worker: WorkerConnection
        do {
            let made = try zygote(for: kind).fork(confinement, isCancelled: isCancelled)
            worker = try WorkerConnection(made, memory: memory)
        } catch let error as CancellationError {
            throw error
        } catch {
            // Where there is no program for workers, that is the reason to name each time.
            if error as? IsolationError != ZygoteConnection.noProgram {
                state.withLock { state in
                    Self.restarts(of: request.scope, &state) { $0.recordFailedStart(now: configuration.now()) }
                }
            }
            guard let ending = error as? WorkerConnection.Ending else { throw error }
            throw IsolationError.unavailable(reason: "a worker ended as it started (\(ending))")
        }
        state.withLock { $0.hasStarted = true }
        return worker
    }

    /// Keeps a worker for the next request, or ends it.
    private func finish(_ worker: WorkerConnection, _ request: WorkerRequest) {
        guard !worker.isEnded else { return }
        // One that was taken over keeps what it was given, and the threads that it has started. A session may go on a little
        // longer: what has arrived of an image is in that worker alone.
        let isSpent =
            worker.updatedProcessorTime() > Int64(configuration.processorSeconds) * 500_000_000
            || worker.sharedInAll > (worker.session == nil ? 1 : 2) * worker.memory
            || worker.hasTooManyThreads
        let surplus: Idle? = state.withLock { state in
            if worker.servedCount > 0 { state.restarts[request.scope] = nil }
            guard !isSpent, configuration.idleCount > 0 else { return nil }
            // The one that was used longest ago, of those that are kept for the same reason.
            let isOfSession = worker.session != nil
            let same = state.idle.indices.filter { (state.idle[$0].worker.session != nil) == isOfSession }
            let limit = isOfSession ? configuration.sessionCount : configuration.idleCount
            let surplus = same.count >= limit ? same.first.map { state.idle.remove(at: $0) } : nil
            let kept = state.idle.reduce(worker.sharedByteCount) { $0 + $1.worker.sharedByteCount }
            // Some microseconds a megabyte, while no other thread can have this worker.
            if kept > configuration.sharedByteCount { worker.releaseOutput() }
            state.idle.append(
                Idle(worker: worker, kind: request.kind, scope: request.scope, since: configuration.now())
            )
            return surplus
        }
        // It ends here, not under the lock.
        withExtendedLifetime(surplus) { startReaper() }
    }

    /// Lets the worker of a session serve others.
    func endSession(_ session: Int) {
        state.withLock { state in
            for idle in state.idle where idle.worker.session == session { idle.worker.session = nil }
        }
    }

    // MARK: Idle workers

    /// Ends the workers that have been idle for too long, and the process that forks them once there is none.
    ///
    /// - Returns: The nanoseconds until the next one has been; `nil` if there is none.
    @discardableResult
    package func endIdle() -> Int64? {
        let now = configuration.now()
        let duration = configuration.idleDuration.nanoseconds
        if let next = takeIdle(before: now - duration).next { return next + duration - now }
        let areGone = [zygote, zygoteOfDrawings].map { $0.endIfUnused() }
        guard areGone == [true, true] else { return duration }
        return state.withLock { state in
            guard state.idle.isEmpty else { return duration }
            state.reaper = nil
            return nil
        }
    }

    /// Removes the workers that have been idle since then, and returns since when the next one is. They end with the result.
    private func takeIdle(before time: Int64) -> (ended: [Idle], next: Int64?) {
        state.withLock { state in
            let ended = state.idle.filter { $0.since <= time }
            state.idle.removeAll { $0.since <= time }
            return (ended, state.idle.map(\.since).min())
        }
    }

    /// Ends all idle workers, and the process that forks them. The next request starts it anew.
    package func endAll() {
        let idle = state.withLock { state in
            defer { state.idle = [] }
            return state.idle
        }
        withExtendedLifetime(idle) { [zygote, zygoteOfDrawings].forEach { $0.end() } }
    }

    private func startReaper() {
        state.withLock { state in
            guard state.reaper == nil else { return }
            state.reaper = Task { [weak self, duration = configuration.idleDuration] in
                var wait = duration
                while true {
                    guard (try? await Task.sleep(for: wait)) != nil, let next = self?.endIdle() else { return }
                    wait = .nanoseconds(max(next, 1_000_000))
                }
            }
        }
    }
}

extension WorkerConnection.Ending {
    /// Whether the image is the reason. A machine that gives a worker no time is none.
    /// Whether it took more time than it may.
    fileprivate var isOfTime: Bool {
        switch self {
        case .time, .processorTime, .cancelled: true
        case .itself, .trapped, .nonsense: false
        }
    }

    fileprivate func isOfInput(_ request: WorkerRequest) -> Bool {
        switch self {
        case .itself, .trapped, .nonsense, .processorTime: true
        case .time(let processorTime): processorTime >= request.timeLimit.nanoseconds / 2
        case .cancelled: false
        }
    }
}
