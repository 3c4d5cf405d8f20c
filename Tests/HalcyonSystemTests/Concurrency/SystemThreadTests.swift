import Glibc
import HalcyonSystem
import Testing

@Suite("A thread of the system")
struct SystemThreadTests {
    @Test("has ended once it is joined, and has released its work")
    func joined() throws {
        final class Resource: Sendable {}
        weak var released: Resource?
        let hasRun = Lock(false)
        do {
            let resource = Resource()
            released = resource
            let thread = try #require(
                SystemThread(stackSize: 128 << 10) { withExtendedLifetime(resource) { hasRun.withLock { $0 = true } } }
            )
            #expect(!thread.isCurrent)
            thread.join()
        }
        #expect(hasRun.withLock { $0 })
        #expect(released == nil)
    }

    @Test("takes no signal of the process, but those of its own faults, and leaves those of its maker as they are")
    func signals() throws {
        let blocked = Lock<[Int32: Bool]>([:])
        let before = Self.blocked()
        let thread = try #require(SystemThread { blocked.withLock { $0 = Self.blocked() } })
        thread.join()
        #expect(Self.blocked() == before)
        for signal in [SIGPIPE, SIGTERM, SIGINT, SIGUSR1] { #expect(blocked.withLock { $0[signal] } == true) }
        for signal in [SIGSEGV, SIGBUS, SIGFPE, SIGILL] { #expect(blocked.withLock { $0[signal] } == false) }
    }

    /// Returns which signals are blocked on the calling thread.
    private static func blocked() -> [Int32: Bool] {
        var mask = sigset_t()
        pthread_sigmask(SIG_BLOCK, nil, &mask)
        return Dictionary(uniqueKeysWithValues: (1...31).map { ($0, sigismember(&mask, $0) == 1) })
    }
}
