internal import CCurlShim
internal import Glibc
internal import HalcyonSystem
internal import Synchronization

/// Ensures that libcurl returns to its event loop, whatever a server sends.
///
/// A flood of frames can keep libcurl inside one call for ever, where no callback comes and no deadline counts: to
/// close a connection of HTTP/2, libcurl 8.9 to 8.14 reads until nothing is left to read. A thread of its own checks,
/// four times a second and only while the loop works, whether the loop has made progress; if not, and bytes are being
/// read all the same, the connections they come from are shut down, which ends the reading. A loop that is only slow
/// (because of a slow receiver, or of a machine that was asleep) reads nothing meanwhile.
///
/// Unchecked: `thread` belongs to the loop's thread; the rest is atomic, or the semaphore's.
final class EventLoopWatch: @unchecked Sendable {
    /// The bytes that may be read from one connection inside one call of libcurl, without any callback. libcurl calls
    /// back for each 32 kB, and for each frame that has a meaning.
    private static let byteLimit: UInt64 = 1 << 20
    private static let interval = Duration.milliseconds(250)

    private let sockets: OpenSockets
    /// The step of the loop: odd while it works, even while it sleeps. Grows by one at each change, and by two at each
    /// sign of progress.
    private let step = Atomic<UInt64>(0)
    private let isDozing = Atomic<Bool>(false)
    private let mustStop = Atomic<Bool>(false)
    /// The semaphore that wakes the watching thread, at an address of its own, because the C type must not move.
    private let wakeUp: UnsafeMutablePointer<sem_t>
    private var thread: SystemThread?

    init(_ sockets: OpenSockets) {
        self.sockets = sockets
        wakeUp = .allocate(capacity: 1)
        wakeUp.initialize(to: sem_t())
        sem_init(wakeUp, 0, 0)
    }

    deinit {
        sem_destroy(wakeUp)
        wakeUp.deallocate()
    }

    // The loop's thread

    /// Notes that the loop begins to work.
    func beginWork() {
        step.wrappingAdd(1, ordering: .sequentiallyConsistent)
        if isDozing.load(ordering: .sequentiallyConsistent) {
            isDozing.store(false, ordering: .sequentiallyConsistent)
            sem_post(wakeUp)
        }
    }

    /// Notes that the loop is about to sleep.
    func endWork() {
        step.wrappingAdd(1, ordering: .sequentiallyConsistent)
    }

    /// Notes that libcurl has called back. Only the loop's thread writes, so this needs no exchange with other
    /// processors.
    func noteProgress() {
        step.store(step.load(ordering: .relaxed) &+ 2, ordering: .relaxed)
    }

    /// Starts the watching, unless that has begun already. Where the system is out of threads, the next call tries
    /// again.
    func start() {
        guard thread == nil else { return }
        thread = SystemThread(stackSize: 128 << 10) { self.watch() }
    }

    /// Ends the watching, and returns when its thread has ended.
    func stop() {
        guard let thread else { return }
        mustStop.store(true, ordering: .sequentiallyConsistent)
        sem_post(wakeUp)
        thread.join()
        self.thread = nil
    }

    /// A Boolean value that indicates whether the watching thread sleeps until the loop works again.
    var isIdle: Bool { isDozing.load(ordering: .sequentiallyConsistent) }

    // The watching thread

    private func watch() {
        halcyon_curl_name_thread("halcyon-watch")
        var last = step.load(ordering: .sequentiallyConsistent)
        var isCounting = false
        while !mustStop.load(ordering: .sequentiallyConsistent) {
            pause()
            let current = step.load(ordering: .sequentiallyConsistent)
            let isStill = current == last
            last = current
            guard isStill, current % 2 == 1 else {
                isCounting = false
                if isStill { doze(unlessPast: current) }
                continue
            }
            if isCounting {
                sockets.endConnections(whereMoreWasReadThan: Self.byteLimit)
            } else {
                sockets.countBytesRead()
                isCounting = true
            }
        }
    }

    /// Waits until the loop works again.
    private func doze(unlessPast step: UInt64) {
        isDozing.store(true, ordering: .sequentiallyConsistent)
        // The loop may have read that just before.
        guard self.step.load(ordering: .sequentiallyConsistent) == step else {
            isDozing.store(false, ordering: .sequentiallyConsistent)
            return
        }
        while sem_wait(wakeUp) != 0, errno == EINTR {}
    }

    private func pause() {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        let nanoseconds = time.tv_nsec + Int(Self.interval.saturatedNanoseconds)
        time.tv_sec += nanoseconds / 1_000_000_000
        time.tv_nsec = nanoseconds % 1_000_000_000
        while halcyon_semaphore_wait(wakeUp, &time) != 0, errno == EINTR {}
    }
}
