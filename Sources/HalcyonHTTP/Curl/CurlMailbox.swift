internal import CCurlShim
internal import HalcyonSystem

/// The commands of other threads to the event loop's thread: the only place where they meet.
///
/// Unchecked: the multi handle is used to wake the thread alone, which libcurl allows to every thread, and only while the
/// thread sleeps.
final class CurlMailbox: @unchecked Sendable {
    enum Command {
        case start(CurlTransfer)
        case cancel(CurlTransfer)
        case setPriority(CurlTransfer, LoadPriority)
        case resume(CurlTransfer)
        case removeCookies
    }

    /// The condition under which the thread is to end.
    enum Stop: Int {
        case never
        case whenIdle
        case now
    }

    private struct Content {
        var commands: [Command] = []
        /// The handle in whose poll the loop waits; `nil` while it does not, and once it has been woken.
        var sleeping: UnsafeMutableRawPointer?
        var stop = Stop.never
        /// A Boolean value that indicates whether the thread has ended; no command is taken any more.
        var isClosed = false
    }

    private let content = Lock(Content())

    /// Hands a command over; returns false if the loop has ended. Wakes the thread only if it sleeps and has not been
    /// woken.
    func post(_ command: Command) -> Bool {
        content.withLock { content in
            guard !content.isClosed else { return false }
            content.commands.append(command)
            wake(&content)
            return true
        }
    }

    func stop(_ stop: Stop) {
        content.withLock { content in
            guard !content.isClosed, stop.rawValue > content.stop.rawValue else { return }
            content.stop = stop
            wake(&content)
        }
    }

    /// Wakes the thread, inside the lock, because the multi handle may be gone once the mailbox is closed.
    private func wake(_ content: inout Content) {
        guard let multi = content.sleeping.take() else { return }
        _ = libcurl.curl_multi_wakeup(multi)
    }

    /// Exchanges the waiting commands for an emptied `commands`; for the loop's thread, as are the functions below.
    func take(into commands: inout [Command]) -> Stop {
        // A burst of ten thousand should not hold its memory for ever.
        commands.removeAll(keepingCapacity: commands.capacity <= 1024)
        return content.withLock { content in
            content.sleeping = nil
            swap(&content.commands, &commands)
            return content.stop
        }
    }

    /// Returns whether there is nothing to do since ``take(into:)``; a later post wakes the thread from the poll of `multi`.
    func fallAsleep(in multi: UnsafeMutableRawPointer?, unlessStoppedSince stop: Stop) -> Bool {
        content.withLock { content in
            guard content.commands.isEmpty, content.stop == stop else { return false }
            content.sleeping = multi
            return true
        }
    }

    /// Takes no command any more; returns false if there still is one.
    func closeIfEmpty() -> Bool {
        content.withLock { content in
            guard content.commands.isEmpty else { return false }
            content.isClosed = true
            return true
        }
    }
}
