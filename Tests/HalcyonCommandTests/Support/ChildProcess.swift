import Dispatch
import FoundationEssentials
import Glibc
import HalcyonSystem

/// A process that a test has started; it is killed if it outlives its deadline, so that a hang is a failure.
final class ChildProcess: Sendable {
    /// How it ended.
    struct Ending: Sendable, Equatable {
        /// The exit code, if it ended by itself.
        var exitCode: Int32?
        /// The signal that ended it otherwise.
        var signal: Int32?
        /// Whether the signal came from the deadline.
        var isOverdue = false
    }

    private struct State {
        var ending: Ending?
        var isOverdue = false
        var waiters: [CheckedContinuation<Ending, Never>] = []
    }

    let id: pid_t
    private let state = Lock(State())

    /// Starts `executable`; `input`, `output` and `error` are descriptors that become 0, 1 and 2.
    init(
        _ executable: String,
        _ arguments: [String],
        environment: [String: String],
        folder: String,
        input: Int32,
        output: Int32,
        error: Int32,
        deadline: Duration = .seconds(300)
    ) throws {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        for (index, descriptor) in [input, output, error].enumerated() {
            posix_spawn_file_actions_adddup2(&actions, descriptor, Int32(index))
        }
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        // A test runner may ignore signals or block them; the child must not inherit that.
        var signals = sigset_t()
        sigemptyset(&signals)
        posix_spawnattr_setsigmask(&attributes, &signals)
        for number in [SIGINT, SIGTERM, SIGHUP, SIGPIPE] { sigaddset(&signals, number) }
        posix_spawnattr_setsigdefault(&attributes, &signals)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))

        // Swift does not see the function that lets posix_spawn change the folder; env does it, and becomes the command.
        let env = "/usr/bin/env"
        var words = ([env, "-C", folder, executable] + arguments).map { strdup($0) } + [nil]
        var settings = environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
        defer { for text in words + settings { free(text) } }
        var id = pid_t()
        let code = posix_spawn(&id, env, &actions, &attributes, &words, &settings)
        guard code == 0 else { throw ChildProcessError(reason: "\(env): \(String(cString: strerror(code)))") }
        self.id = id
        watch(deadline: deadline)
    }

    /// Sends it a signal, unless it has ended.
    func send(signal: Int32) {
        state.withLock { if $0.ending == nil { kill(id, signal) } }
    }

    /// Waits for its end.
    var ending: Ending {
        get async {
            await withCheckedContinuation { continuation in
                let ending = state.withLock { state -> Ending? in
                    if state.ending == nil { state.waiters.append(continuation) }
                    return state.ending
                }
                if let ending { continuation.resume(returning: ending) }
            }
        }
    }

    private func watch(deadline: Duration) {
        DispatchQueue(label: "halcyon.tests.deadline").asyncAfter(
            deadline: .now() + .seconds(Int(deadline.components.seconds))
        ) {
            [weak self] in
            self?.state.withLock { state in
                guard let self, state.ending == nil else { return }
                state.isOverdue = true
                kill(self.id, SIGKILL)
            }
        }
        // Blocks, so it must not take a thread of Swift's own pool.
        DispatchQueue(label: "halcyon.tests.child").async { [self] in
            // Without reaping, so that the process id stays this child's until `ending` is set.
            var information = siginfo_t()
            while waitid(P_PID, id_t(id), &information, WEXITED | WNOWAIT) != 0, errno == EINTR {}
            let (waiters, ending) = state.withLock { state in
                var status: Int32 = 0
                while waitpid(id, &status, 0) < 0, errno == EINTR {}
                let isExit = status & 0x7F == 0
                let ending = Ending(
                    exitCode: isExit ? (status >> 8) & 0xFF : nil,
                    signal: isExit ? nil : status & 0x7F,
                    isOverdue: state.isOverdue
                )
                state.ending = ending
                defer { state.waiters = [] }
                return (state.waiters, ending)
            }
            for waiter in waiters { waiter.resume(returning: ending) }
        }
    }
}

struct ChildProcessError: Error {
    let reason: String
}
