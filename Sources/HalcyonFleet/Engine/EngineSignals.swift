internal import Glibc

/// The signals of threads that call hiredis.
enum EngineSignals {
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
