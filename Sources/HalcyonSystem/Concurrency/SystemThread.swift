internal import Glibc

/// A thread of its own, for work that waits in calls of the system or of a library: on Swift's threads, or those of a
/// queue, it would hold up others.
///
/// It takes no signal that is sent to the process, from its first moment: the program's handlers do not run on it, and a
/// write to a connection that was closed raises no SIGPIPE, which ends a program that has not asked otherwise.
package struct SystemThread: Sendable {
    /// The signals of faults of the thread itself. The system ends a process at once in which these are blocked.
    private static let faults = [SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS]

    private final class Work: Sendable {
        let run: @Sendable () -> Void

        init(_ run: @escaping @Sendable () -> Void) {
            self.run = run
        }
    }

    private let id: pthread_t

    /// Starts a thread, which is to be joined or detached once; `nil` if the system has none left.
    ///
    /// - Parameters:
    ///   - stackSize: The size of its stack, in bytes; `nil`: that of the system. Default: `nil`.
    ///   - body: Called on the thread, and released there.
    package init?(stackSize: Int? = nil, _ body: @escaping @Sendable () -> Void) {
        var attributes = pthread_attr_t()
        pthread_attr_init(&attributes)
        defer { pthread_attr_destroy(&attributes) }
        if let stackSize { pthread_attr_setstacksize(&attributes, stackSize) }
        // It begins with the mask of the thread that starts it.
        var signals = sigset_t()
        var earlier = sigset_t()
        sigfillset(&signals)
        for fault in Self.faults { sigdelset(&signals, fault) }
        pthread_sigmask(SIG_BLOCK, &signals, &earlier)
        defer { pthread_sigmask(SIG_SETMASK, &earlier, nil) }
        let work = Unmanaged.passRetained(Work(body))
        var id = pthread_t()
        let code = pthread_create(
            &id,
            &attributes,
            { work in
                // The argument is the work, with the reference that was retained for it.
                if let work { Unmanaged<Work>.fromOpaque(work).takeRetainedValue().run() }
                return nil
            },
            work.toOpaque()
        )
        guard code == 0 else {
            work.release()
            return nil
        }
        self.id = id
    }

    /// Starts a thread that nothing waits for.
    ///
    /// - Returns: `false` if the system has none left.
    @discardableResult
    package static func detached(_ body: @escaping @Sendable () -> Void) -> Bool {
        guard let thread = SystemThread(body) else { return false }
        thread.detach()
        return true
    }

    /// A Boolean value that indicates whether this is the calling thread.
    package var isCurrent: Bool { pthread_equal(id, pthread_self()) != 0 }

    /// Waits for its end.
    package func join() {
        pthread_join(id, nil)
    }

    /// Lets it end on its own.
    package func detach() {
        pthread_detach(id)
    }
}
