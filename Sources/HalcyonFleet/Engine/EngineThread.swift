internal import Glibc

/// Threads that wait for an engine.
enum EngineThread {
    private final class Work: Sendable {
        let run: @Sendable () -> Void

        init(_ run: @escaping @Sendable () -> Void) {
            self.run = run
        }
    }

    /// Runs a function on a new thread, which takes no signal.
    ///
    /// - Returns: `false` if the system has no thread left.
    static func start(_ body: @escaping @Sendable () -> Void) -> Bool {
        let context = Unmanaged.passRetained(Work(body))
        var id = pthread_t()
        let code = pthread_create(
            &id,
            nil,
            { context in
                guard let context else { return nil }
                var signals = sigset_t()
                sigfillset(&signals)
                pthread_sigmask(SIG_BLOCK, &signals, nil)
                Unmanaged<Work>.fromOpaque(context).takeRetainedValue().run()
                return nil
            },
            context.toOpaque()
        )
        guard code == 0 else {
            context.release()
            return false
        }
        pthread_detach(id)
        return true
    }

    /// Runs a function that writes to connections. hiredis and OpenSSL write with `write`, so a peer that has gone would raise
    /// SIGPIPE, which ends a program that has not asked otherwise.
    static func withoutPipeSignal<Result, Failure: Error>(_ body: () throws(Failure) -> Result) throws(Failure)
        -> Result
    {
        var (signals, earlier, pending) = (sigset_t(), sigset_t(), sigset_t())
        sigemptyset(&signals)
        sigaddset(&signals, SIGPIPE)
        sigpending(&pending)
        let wasPending = sigismember(&pending, SIGPIPE) == 1
        pthread_sigmask(SIG_BLOCK, &signals, &earlier)
        defer {
            if sigismember(&earlier, SIGPIPE) == 0 {
                // The one that this thread has raised is taken, so that unblocking does not deliver it.
                var none = timespec()
                if !wasPending { while sigtimedwait(&signals, nil, &none) == -1, errno == EINTR {} }
                pthread_sigmask(SIG_SETMASK, &earlier, nil)
            }
        }
        return try body()
    }
}
