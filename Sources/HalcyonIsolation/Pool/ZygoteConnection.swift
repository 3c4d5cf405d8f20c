internal import CIsolation
internal import Glibc
internal import HalcyonCodecs
internal import HalcyonSystem
internal import Synchronization

/// The program's end of the process that forks workers, which is started when it is needed.
///
/// A thread waits for a worker under its lock, up to 1 ms; nothing else is locked meanwhile. While the zygote loads libraries
/// and finds fonts, which may take long, nothing is locked.
final class ZygoteConnection: Sendable {
    /// What a worker is made with.
    struct Confinement: Sendable {
        var kind: WorkerKind
        var steps: IsolationSet
        var isStrict: Bool
        var memory: Int
        var processorSeconds: Int
    }

    /// A worker that was made, before its first record.
    struct Worker {
        let identifier: UInt64
        let process: pid_t
        let processDescriptor: Int32
        let socket: RecordSocket
        let cancellation: SharedBuffer
        let lease: Lease
        let names: Set<String>
    }

    /// The mark of a worker that lives, or for which somebody waits: without one the zygote may end.
    final class Lease: Sendable {
        private let count: LiveCount

        fileprivate init(_ count: LiveCount) {
            self.count = count
            count.value.add(1, ordering: .relaxed)
        }

        deinit {
            count.value.subtract(1, ordering: .relaxed)
        }
    }

    fileprivate final class LiveCount: Sendable {
        let value = Atomic<Int>(0)
    }

    fileprivate struct Running {
        let socket: RecordSocket
        let process: pid_t
        /// -1 where the kernel gives none.
        let processDescriptor: Int32
        /// The last identifier that was given before it was started.
        let startIdentifier: UInt64
        let owner = getpid()
        /// The kinds that it was asked to prepare for, and those that it has.
        var asked: Set<WorkerKind> = []
        var prepared: Set<WorkerKind> = []
    }

    private struct State {
        var running: Running?
        var lastIdentifier: UInt64 = 0
    }

    /// The time for an answer on a machine under load.
    private static let answerTime: Int64 = 20_000_000_000
    /// The time in which libraries are loaded and fonts are found, on whatever they lie.
    private static let preparationTime: Int64 = 300_000_000_000
    /// The time between two looks at the caller's cancellation.
    private static let lookTime: Int32 = 5

    private let program: @Sendable () -> String?
    private let state = Lock(State())
    private let live = LiveCount()

    init(program: @escaping @Sendable () -> String?) {
        self.program = program
    }

    deinit {
        end()
    }

    /// The process identifier; `nil` while there is no zygote.
    var process: Int32? { state.withLock { $0.running?.process } }

    /// Starts the zygote if there is none, and forks a worker.
    ///
    /// - Parameter isCancelled: Asked every 5 ms while the zygote prepares itself.
    /// - Throws: ``IsolationError/unavailable(reason:)``, ``IsolationError/cannotShare(reason:)``, `CancellationError`.
    func fork(_ confinement: Confinement, isCancelled: () -> Bool = { false }) throws -> Worker {
        // Asked before anything is made: drawings are meant for a worker in programs that have none, too.
        guard process != nil || program() != nil else { throw Self.noProgram }
        let (own, other) = try RecordSocket.pair()
        let cancellation = try SharedBuffer(byteCount: 1, isReadOnly: true)
        var question = Record(.fork)
        question.header.code = confinement.kind.rawValue
        question.header.flags = confinement.steps.steps
        question.header.status = confinement.isStrict ? 1 : 0
        question.header.byte_count = UInt64(confinement.memory)
        question.header.capacity = UInt64(confinement.processorSeconds)
        let descriptors = [other.descriptor, cancellation.descriptor]
        let lease = Lease(live)
        func ask() throws -> (Record, descriptor: Int32?)? {
            try prepare(confinement.kind, isCancelled)
            return state.withLock { state in
                state.lastIdentifier += 1
                question.header.identifier = state.lastIdentifier
                return Self.ask(question, descriptors, &state)
            }
        }
        // A second time, for one that has ended meanwhile.
        guard let (answer, descriptor) = try ask() ?? ask() else { throw Self.noAnswer }
        guard let descriptor, answer.kind == .forked else {
            let error = answer.header.code == 0 ? EMFILE : answer.header.code
            throw IsolationError.unavailable(reason: systemErrorText(error))
        }
        return Worker(
            identifier: answer.header.identifier,
            process: answer.header.status,
            processDescriptor: descriptor,
            socket: own,
            cancellation: cancellation,
            lease: lease,
            names: Set(answer.payload.split(separator: 0).map { String(decoding: $0, as: UTF8.self) })
        )
    }

    /// How a worker ended, after it has: its `CLD_…` code and its status or signal. `nil` if that cannot be learned.
    func end(of identifier: UInt64) -> (code: Int32, status: Int32)? {
        state.withLock { state in
            guard let running = state.running, identifier > running.startIdentifier,
                let (answer, _) = Self.ask(Record(.status, identifier: identifier), [], &state),
                answer.kind == .status, answer.header.code != 0
            else { return nil }
            return (answer.header.code, answer.header.status)
        }
    }

    /// Ends the zygote if there is no worker, and returns whether it is gone.
    func endIfUnused() -> Bool {
        state.withLock { state in
            guard live.value.load(ordering: .relaxed) == 0 else { return false }
            if let running = state.running { Self.end(running) }
            state.running = nil
            return true
        }
    }

    /// Ends the zygote, and with it all workers.
    func end() {
        state.withLock { state in
            if let running = state.running { Self.end(running) }
            state.running = nil
        }
    }

    // MARK: The process

    static let noProgram = IsolationError.unavailable(
        reason: "this program does not call HalcyonWorker.runIfAsked, and halcyon-decoder is not beside it"
    )

    private static let noAnswer = IsolationError.unavailable(reason: "the process for decoders does not answer")

    /// What a look at the zygote found.
    private enum Preparation {
        case isDone
        case isUnderWay(RecordSocket)
        case hasEnded
    }

    /// Starts the zygote if there is none, and waits until it can fork workers of a kind.
    private func prepare(_ kind: WorkerKind, _ isCancelled: () -> Bool) throws {
        let end = halcyon_monotonic_time() + Self.preparationTime
        var hasStarted = false
        while true {
            let preparation = try state.withLock { state in
                if let running = state.running, running.owner != getpid() {
                    Self.end(running)
                    state.running = nil
                }
                // One that ended since the last time is replaced; one that has just been started is not.
                if state.running == nil {
                    guard !hasStarted else { throw Self.noAnswer }
                    hasStarted = true
                    state.running = try start(after: state.lastIdentifier)
                }
                return Self.preparation(for: kind, &state)
            }
            switch preparation {
            case .isDone: return
            case .hasEnded: continue
            case .isUnderWay(let socket):
                if isCancelled() { throw CancellationError() }
                guard halcyon_monotonic_time() < end else {
                    throw IsolationError.unavailable(reason: "the process for decoders is still loading its libraries")
                }
                var event = pollfd(fd: socket.descriptor, events: Int16(POLLIN), revents: 0)
                poll(&event, 1, Self.lookTime)
            }
        }
    }

    /// Asks the zygote to prepare for a kind, once, and looks whether it has.
    private static func preparation(for kind: WorkerKind, _ state: inout State) -> Preparation {
        guard var running = state.running else { return .hasEnded }
        if running.prepared.contains(kind) { return .isDone }
        var isThere = true
        if running.asked.insert(kind).inserted {
            var question = Record(.prepare)
            question.header.code = kind.rawValue
            isThere = running.socket.send(question)
        }
        while isThere, !running.prepared.contains(kind) {
            switch running.socket.receive(waits: false) {
            case .record(let answer, _): running.note(answer)
            case .nothing:
                state.running = running
                return .isUnderWay(running.socket)
            case .nonsense, .end: isThere = false
            }
        }
        state.running = isThere ? running : nil
        if !isThere { end(running) }
        return isThere ? .isDone : .hasEnded
    }

    private func start(after identifier: UInt64) throws -> Running {
        guard let path = program() else { throw Self.noProgram }
        let (own, other) = try RecordSocket.pair()
        var arguments: [UnsafeMutablePointer<CChar>?] = [strdup(path), strdup(HalcyonWorker.argument), nil]
        var environment: [UnsafeMutablePointer<CChar>?] =
            Self.environment { getenv($0).map { String(cString: $0) } }.map { strdup($0) } + [nil]
        defer { for text in arguments + environment { free(text) } }
        var process: pid_t = 0
        let error = halcyon_spawn(&process, path, &arguments, &environment, other.descriptor)
        guard error == 0 else { throw IsolationError.unavailable(reason: "\(path): \(systemErrorText(error))") }
        return Running(
            socket: own,
            process: process,
            processDescriptor: halcyon_process_descriptor(process),
            startIdentifier: identifier
        )
    }

    /// What fonts are found by, the languages of drawings, what a program's libraries were found by, and nothing else. Swift's backtraces start a
    /// process, which the filter refuses: the signal of a crash would be hidden by that of the refusal.
    ///
    /// - Parameter value: Returns the value of a variable.
    static func environment(_ value: (String) -> String?) -> [String] {
        let names = [
            "HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME", "FONTCONFIG_FILE", "FONTCONFIG_PATH",
            "LANGUAGE", "LC_ALL", "LC_CTYPE", "LC_MESSAGES", "LANG", "FC_LANG", "LD_LIBRARY_PATH", "ASAN_OPTIONS",
            "TSAN_OPTIONS", "UBSAN_OPTIONS",
        ]
        return names.compactMap { name in value(name).map { "\(name)=\($0)" } }
            + ["SWIFT_BACKTRACE=enable=no"]
    }

    /// Sends a record and waits for its answer. A zygote without one is ended.
    private static func ask(
        _ question: Record,
        _ descriptors: [Int32],
        _ state: inout State
    ) -> (Record, descriptor: Int32?)? {
        guard var running = state.running else { return nil }
        if running.socket.send(question, descriptors: descriptors) {
            // It may be preparing for another kind.
            let time = running.asked == running.prepared ? answerTime : preparationTime
            let end = halcyon_monotonic_time() + time
            while let (answer, received) = next(running.socket, until: end) {
                if answer.kind != .prepare, answer.header.identifier == question.header.identifier {
                    state.running = running
                    return (answer, received.first)
                }
                received.forEach { close($0) }
                guard answer.kind == .prepare else { break }
                running.note(answer)
            }
        }
        end(running)
        state.running = nil
        return nil
    }

    private static func next(_ socket: RecordSocket, until end: Int64) -> (Record, descriptors: [Int32])? {
        var event = pollfd(fd: socket.descriptor, events: Int16(POLLIN), revents: 0)
        var count: Int32
        repeat {
            let left = max(0, end - halcyon_monotonic_time())
            count = poll(&event, 1, Int32(clamping: (left + 999_999) / 1_000_000))
        } while count < 0 && errno == EINTR
        guard count > 0, case .record(let record, let descriptors) = socket.receive(waits: false, descriptorCapacity: 1)
        else { return nil }
        return (record, descriptors)
    }

    /// Ends the process and waits until it has ended, which takes some milliseconds.
    private static func end(_ running: Running) {
        // That of the process from which this one was forked goes on there.
        guard running.owner == getpid() else {
            if running.processDescriptor >= 0 { close(running.processDescriptor) }
            return
        }
        // Its workers end with their sockets; those it would have ended with the program are asked by their owners.
        shutdown(running.socket.descriptor, Int32(SHUT_RDWR))
        if running.processDescriptor >= 0 {
            var event = pollfd(fd: running.processDescriptor, events: Int16(POLLIN), revents: 0)
            if poll(&event, 1, 1_000) <= 0 { _ = halcyon_process_signal(running.processDescriptor, SIGKILL) }
            var code: Int32 = 0
            var status: Int32 = 0
            _ = halcyon_process_end(running.processDescriptor, true, &code, &status)
            close(running.processDescriptor)
        } else {
            // There was no descriptor left for it: nobody else waits for the child, so that the number is still its own.
            kill(running.process, SIGKILL)
            waitpid(running.process, nil, 0)
        }
    }
}

extension ZygoteConnection.Running {
    /// Notes that it has prepared for a kind.
    fileprivate mutating func note(_ answer: Record) {
        guard answer.kind == .prepare, let kind = WorkerKind(rawValue: answer.header.code) else { return }
        prepared.insert(kind)
    }
}
