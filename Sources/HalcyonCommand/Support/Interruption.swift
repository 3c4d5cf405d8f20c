internal import ArgumentParser
internal import Dispatch
internal import Glibc
internal import HalcyonSystem

/// Ends a command in order when a person presses Ctrl-C or closes the terminal, or the system requests its end.
enum Interruption {
    /// The time that the work may take to end before the process ends without it, in milliseconds.
    private static let patience = 1500

    /// The time that the last action may take: what it writes to may be read by nobody, in milliseconds.
    private static let lastPatience = 300

    /// The descriptor to which the signal handler writes the number of each signal. The handler is a C function, which
    /// has no other memory than what is static; set once, before the handler is installed.
    private nonisolated(unsafe) static var notices: Int32 = -1

    /// Called before the process ends without waiting for its work, on a thread of its own. It may not come to its end.
    private static let lastAction = Lock<(@Sendable () -> Void)?>(nil)

    static func setLastAction(_ action: (@Sendable () -> Void)?) {
        lastAction.withLock { $0 = action }
    }

    /// Runs `body`; SIGINT, SIGTERM and SIGHUP cancel it, and a second one ends the process at once. Those that the
    /// process was started to ignore, as in the background of a script or with `nohup`, stay ignored.
    ///
    /// - Throws: `ExitCode` of 128 and the signal's number, as shells count, once a cancelled `body` has ended.
    static func guarding(_ body: @escaping @Sendable () async throws -> Void) async throws {
        let received = Lock<Int32?>(nil)
        let work = Lock<Task<Void, any Error>?>(nil)
        let source = try watch { number in
            let isFirst = received.withLock { first in
                defer { first = first ?? number }
                return first == nil
            }
            guard isFirst else { end(number) }
            onThread(after: patience) { end(number) }
            work.withLock { $0 }?.cancel()
        }
        defer { source.cancel() }
        let task = Task { try await body() }
        let isInterrupted = work.withLock { work in
            work = task
            return received.withLock { $0 } != nil
        }
        if isInterrupted { task.cancel() }
        let result = await task.result
        if let number = received.withLock({ $0 }) { throw ExitCode(128 + number) }
        try result.get()
    }

    /// Calls `action` for each signal from now on.
    ///
    /// Not a signal source of Dispatch: on Linux that shares the pending signal with every thread that does not block
    /// it, and where such a thread comes first the signal ends the process or is lost.
    private static func watch(_ action: @escaping @Sendable (Int32) -> Void) throws -> any DispatchSourceRead {
        var ends: [Int32] = [-1, -1]
        // Open until the process ends, as the handler is. Sockets and no pipe: no child process that another thread
        // starts meanwhile can inherit them, and Swift does not see `pipe2`.
        let kind = SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue
        guard socketpair(AF_UNIX, Int32(kind), 0, &ends) == 0 else {
            throw ValidationError("No pair of sockets could be opened: \(String(cString: strerror(errno)))")
        }
        let (reading, writing) = (ends[0], ends[1])
        notices = writing
        let source = DispatchSource.makeReadSource(
            fileDescriptor: reading,
            queue: DispatchQueue(label: "halcyon.signals")
        )
        source.setEventHandler {
            var number: UInt8 = 0
            while read(reading, &number, 1) == 1 { action(Int32(number)) }
        }
        source.resume()
        for number in [SIGINT, SIGTERM, SIGHUP] {
            var earlier = sigaction()
            // As numbers, since Swift does not compare functions: SIG_IGN is none that could be called.
            let ignored = unsafeBitCast(SIG_IGN, to: Int.self)
            if sigaction(number, nil, &earlier) == 0,
                unsafeBitCast(earlier.__sigaction_handler.sa_handler, to: Int.self) == ignored
            {
                continue
            }
            var handling = sigaction()
            handling.__sigaction_handler.sa_handler = { number in
                // The value of errno that interrupted code reads must not change.
                let code = errno
                var byte = UInt8(truncatingIfNeeded: number)
                _ = write(Interruption.notices, &byte, 1)
                errno = code
            }
            handling.sa_flags = SA_RESTART
            sigaction(number, &handling, nil)
        }
        return source
    }

    /// Runs `body` in some milliseconds on a queue of its own: the threads of the global queues may all be busy when the
    /// work does not end.
    private static func onThread(after milliseconds: Int = 0, _ body: @escaping @Sendable () -> Void) {
        DispatchQueue(label: "halcyon.interruption").asyncAfter(
            deadline: .now() + .milliseconds(milliseconds),
            execute: body
        )
    }

    private static func end(_ number: Int32) -> Never {
        if let action = lastAction.withLock({ $0 }) {
            let isDone = DispatchSemaphore(value: 0)
            onThread {
                action()
                isDone.signal()
            }
            _ = isDone.wait(timeout: .now() + .milliseconds(lastPatience))
        }
        TerminalScreen.abandon()
        TemporaryOutput.exitRemovingAll(128 + number)
    }
}
