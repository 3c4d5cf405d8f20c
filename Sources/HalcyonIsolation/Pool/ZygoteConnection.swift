internal import CIsolation
internal import Glibc
internal import HalcyonCodecs
internal import HalcyonSystem
internal import Synchronization

/// The program's end of the process that forks workers, which is started when it is needed.
///
/// All of it is under one lock, under which a thread may wait for the zygote: up to 1 ms for a worker, 40 ms for the first.
/// Nothing else is locked meanwhile.
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

    /// The mark of a worker that lives, without which the zygote may end.
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

    private struct Running {
        let socket: RecordSocket
        let process: pid_t
        /// -1 where the kernel gives none.
        let processDescriptor: Int32
        let owner = getpid()
    }

    private struct State {
        var running: Running?
        var lastIdentifier: UInt64 = 0
    }

    /// The time for an answer, in milliseconds: a machine under load, which also loads fonts.
    private static let answerTime: Int32 = 20_000

    private let program: @Sendable () -> String?
    private let state = Lock(State())
    /// Rises under the lock only.
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
    /// - Throws: ``IsolationError/unavailable(reason:)``, ``IsolationError/cannotShare(reason:)``.
    func fork(_ confinement: Confinement) throws -> Worker {
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
        let (answer, descriptor, lease) = try state.withLock { state in
            let lease = Lease(live)
            state.lastIdentifier += 1
            question.header.identifier = state.lastIdentifier
            let descriptors = [other.descriptor, cancellation.descriptor]
            if let running = state.running, running.owner != getpid() {
                Self.end(running)
                state.running = nil
            }
            // One that ended since the last time is replaced; one that has just been started is not.
            if state.running != nil, let (answer, descriptor) = Self.ask(question, descriptors, &state) {
                return (answer, descriptor, lease)
            }
            state.running = try start()
            guard let (answer, descriptor) = Self.ask(question, descriptors, &state) else {
                throw IsolationError.unavailable(reason: "the process for decoders does not answer")
            }
            return (answer, descriptor, lease)
        }
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
            guard state.running != nil,
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

    private static let noProgram = IsolationError.unavailable(
        reason: "this program does not call HalcyonWorker.runIfAsked, and halcyon-decoder is not beside it"
    )

    private func start() throws -> Running {
        guard let path = program() else { throw Self.noProgram }
        let (own, other) = try RecordSocket.pair()
        var arguments: [UnsafeMutablePointer<CChar>?] = [strdup(path), strdup(HalcyonWorker.argument), nil]
        var environment: [UnsafeMutablePointer<CChar>?] =
            Self.environment { getenv($0).map { String(cString: $0) } }.map { strdup($0) } + [nil]
        defer { for text in arguments + environment { free(text) } }
        var process: pid_t = 0
        let error = halcyon_spawn(&process, path, &arguments, &environment, other.descriptor)
        guard error == 0 else { throw IsolationError.unavailable(reason: "\(path): \(systemErrorText(error))") }
        return Running(socket: own, process: process, processDescriptor: halcyon_process_descriptor(process))
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
        guard let running = state.running else { return nil }
        if running.socket.send(question, descriptors: descriptors) {
            var event = pollfd(fd: running.socket.descriptor, events: Int16(POLLIN), revents: 0)
            var count: Int32
            repeat { count = poll(&event, 1, answerTime) } while count < 0 && errno == EINTR
            if count > 0,
                case .record(let answer, let received) = running.socket.receive(waits: false, descriptorCapacity: 1)
            {
                if answer.header.identifier == question.header.identifier { return (answer, received.first) }
                received.forEach { close($0) }
            }
        }
        end(running)
        state.running = nil
        return nil
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
