internal import Dispatch
internal import Glibc
internal import HalcyonSystem

/// The thread that waits for the kernel's word, and what it waits on.
///
/// The thread owns the descriptors and closes them when it is stopped, which is when this object ends.
final class MemoryPressureWatch: Sendable {
    private let wake: Int32

    /// Begins to watch; nil if there is nothing to watch.
    init?(_ sources: MemoryPressureSources, tell: @escaping @Sendable (MemoryPressure) -> Void) {
        var ends: [Int32] = [-1, -1]
        // Sockets and no pipe: no child process that another thread starts meanwhile can inherit them, and Swift does
        // not see `pipe2`.
        guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0, &ends) == 0 else {
            return nil
        }
        let (own, wake) = (ends[0], ends[1])
        let waiter = MemoryPressureWaiter(sources, wake: own, tell: tell)
        guard waiter.watchesSomething, waiter.start() else {
            close(wake)
            return nil
        }
        self.wake = wake
    }

    /// Ends the thread, without waiting for it: a handler may be what calls. Closing is all the thread waits for;
    /// writing to it once it has gone would be a SIGPIPE.
    deinit {
        close(wake)
    }
}

/// The loop of the thread. Unchecked: it is handed to the thread, which alone uses it from then on.
private final class MemoryPressureWaiter: @unchecked Sendable {
    private let wake: Int32
    /// A trigger for some waiting, and one for all waiting; -1 where there is none.
    private var triggers: [(descriptor: Int32, pressure: MemoryPressure)] = []
    private var notifier: Int32 = -1
    private let stallFiles: [String]
    private let eventsFile: String?
    private var events = MemoryEvents()
    private var rate = MemoryPressureRate()
    private let tell: @Sendable (MemoryPressure) -> Void

    init(_ sources: MemoryPressureSources, wake: Int32, tell: @escaping @Sendable (MemoryPressure) -> Void) {
        self.wake = wake
        self.tell = tell
        eventsFile = sources.eventsFile
        stallFiles = sources.stallFiles
        for path in sources.stallFiles {
            // Of each second, 150 ms in which something waits for memory, or 100 in which everything does. A process
            // that may not have windows of any length may have multiples of two seconds.
            if let some = Self.trigger(path, ["some 150000 1000000", "some 300000 2000000"]) {
                triggers.append((some, .warning))
                if let full = Self.trigger(path, ["full 100000 1000000", "full 200000 2000000"]) {
                    triggers.append((full, .critical))
                }
                break
            }
        }
        if let eventsFile, let text = SystemMemory.readSmallFile(eventsFile) {
            notifier = inotify_init1(Int32(IN_CLOEXEC) | Int32(IN_NONBLOCK))
            if notifier >= 0, inotify_add_watch(notifier, eventsFile, UInt32(IN_MODIFY)) < 0 {
                close(notifier)
                notifier = -1
            }
            // Read again after the watch began, so that nothing is missed in between.
            events = MemoryEvents(SystemMemory.readSmallFile(eventsFile) ?? text)
        }
    }

    deinit {
        for trigger in triggers { close(trigger.descriptor) }
        if notifier >= 0 { close(notifier) }
        close(wake)
    }

    var watchesSomething: Bool { !triggers.isEmpty || notifier >= 0 }

    private static func trigger(_ path: String, _ texts: [String]) -> Int32? {
        for text in texts {
            let descriptor = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC)
            guard descriptor >= 0 else { return nil }
            // The kernel requires the byte that ends the text as well.
            let bytes = Array(text.utf8) + [0]
            if write(descriptor, bytes, bytes.count) == bytes.count { return descriptor }
            close(descriptor)
        }
        return nil
    }

    func start() -> Bool { SystemThread.detached { self.run() } }

    private func run() {
        while true {
            var waits = [pollfd(fd: wake, events: Int16(POLLIN), revents: 0)]
            waits.append(pollfd(fd: notifier, events: Int16(POLLIN), revents: 0))
            waits += triggers.map { pollfd(fd: $0.descriptor, events: Int16(POLLPRI), revents: 0) }
            // Rounded up, so that the time has come when it ends.
            let delay = rate.delay(at: Self.time).map { Int32(($0 + 999_999) / 1_000_000) } ?? -1
            let count = poll(&waits, nfds_t(waits.count), delay)
            if count < 0, errno != EINTR { return }
            guard count >= 0 else { continue }
            if waits[0].revents != 0 { return }
            var pressure: MemoryPressure?
            if waits[1].revents != 0 { pressure = newEvents() }
            for (index, wait) in waits.dropFirst(2).enumerated() where wait.revents != 0 {
                if wait.revents & Int16(POLLERR | POLLNVAL) != 0 {
                    // The control group is gone. A negative number is left out of the waiting.
                    close(triggers[index].descriptor)
                    triggers[index].descriptor = -1
                } else {
                    pressure = max(pressure ?? .warning, triggers[index].pressure)
                }
            }
            if let pressure = rate.admit(pressure, at: Self.time) { tell(pressure) }
        }
    }

    /// Nanoseconds of the monotonic clock.
    private static var time: Int64 { Int64(DispatchTime.now().uptimeNanoseconds) }

    /// Returns the pressure by the control group's counts since they were last read.
    private func newEvents() -> MemoryPressure? {
        var buffer = [UInt8](repeating: 0, count: 4_096)
        while read(notifier, &buffer, buffer.count) > 0 {}
        guard let eventsFile, let text = SystemMemory.readSmallFile(eventsFile) else { return nil }
        let earlier = events
        events = MemoryEvents(text)
        let stall = stallFiles.lazy.compactMap { SystemMemory.readSmallFile($0).flatMap(MemoryStall.init) }.first
        return events.pressure(since: earlier, stall)
    }
}

/// Limits the rate at which pressure is reported: once a second, and earlier only if it gets worse. Pressure that comes
/// too early is reported when the second is over.
struct MemoryPressureRate {
    private static let interval: Int64 = 1_000_000_000
    private var last: (pressure: MemoryPressure, time: Int64)?
    private var waiting: MemoryPressure?

    /// Notes pressure, or none, at a time in nanoseconds that never goes back.
    ///
    /// - Returns: The pressure to report now.
    mutating func admit(_ pressure: MemoryPressure?, at time: Int64) -> MemoryPressure? {
        waiting = [waiting, pressure].compactMap(\.self).max()
        guard let waiting else { return nil }
        if let last, time - last.time < Self.interval, waiting <= last.pressure { return nil }
        last = (waiting, time)
        self.waiting = nil
        return waiting
    }

    /// The number of nanoseconds until there is something to report; nil if nothing waits.
    func delay(at time: Int64) -> Int64? {
        guard waiting != nil, let last else { return nil }
        return max(0, last.time + Self.interval - time)
    }
}
