import Foundation
import Glibc
import HalcyonSystem

/// A terminal without a person: what is written to ``slave`` is read here, at once, so that no writer ever waits for a
/// reader.
final class PseudoTerminal: Sendable {
    struct Failure: Error {
        let reason: String
    }

    private struct State {
        /// What has been written and not been asked for yet.
        var bytes: [UInt8] = []
        var isEnded = false
        var waiters: [CheckedContinuation<Void, Never>] = []
    }

    /// What a process gets in place of a terminal. Closed by ``readRest()``.
    let slave: Int32
    /// What every terminal replies to: what kind it is.
    static let question = "\u{1B}[c"
    /// Where a person types. Another descriptor of the end that is read here, so that each is closed once.
    private let keyboard: Int32
    private let state = Lock(State())
    /// TIOCSPTLCK and TIOCGPTN of <asm-generic/ioctls.h>.
    private static let setLock: UInt = 0x4004_5431
    private static let getNumber: UInt = 0x8004_5430

    /// Whether this system gives any; a bare chroot has no /dev/pts.
    static let isAvailable = (try? PseudoTerminal(columns: 80)).map { close($0.slave) } != nil

    /// - Parameters:
    ///   - cell: The size of a character in pixels. Default: not known.
    ///   - replies: Typed once the terminal is asked for its kind, the last question (``question``), by the thread that reads:
    ///     a program waits a second for them, and a task may get no thread for as long. Default: none.
    init(columns: UInt16, cell: (width: UInt16, height: UInt16) = (0, 0), replies: String? = nil) throws {
        let master = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
        // What unlockpt and ptsname do; Swift does not see those two.
        var isLocked: Int32 = 0
        var number: Int32 = 0
        guard master >= 0, ioctl(master, Self.setLock, &isLocked) == 0, ioctl(master, Self.getNumber, &number) == 0
        else { throw Failure(reason: String(cString: strerror(errno))) }
        slave = open("/dev/pts/\(number)", O_RDWR | O_NOCTTY | O_CLOEXEC)
        keyboard = fcntl(master, F_DUPFD_CLOEXEC, 0)
        guard slave >= 0, keyboard >= 0 else { throw Failure(reason: String(cString: strerror(errno))) }
        var size = winsize(ws_row: 24, ws_col: columns, ws_xpixel: cell.width * columns, ws_ypixel: cell.height * 24)
        guard ioctl(slave, UInt(TIOCSWINSZ), &size) == 0 else {
            throw Failure(reason: String(cString: strerror(errno)))
        }
        let state = state
        Thread.detachNewThread {
            var buffer = [UInt8](repeating: 0, count: 4096)
            var (replies, asked) = (replies, [UInt8]())
            while true {
                // An error once nobody has the other end open any more.
                let count = Glibc.read(master, &buffer, buffer.count)
                if count < 0, errno == EINTR { continue }
                if let reply = replies {
                    asked += buffer.prefix(max(0, count))
                    if asked.firstRange(of: Array(Self.question.utf8)) != nil {
                        _ = Array(reply.utf8).withUnsafeBytes { write(master, $0.baseAddress, $0.count) }
                        replies = nil
                    }
                }
                Self.change(state) { state in
                    state.isEnded = count <= 0
                    state.bytes += buffer.prefix(max(0, count))
                }
                if count <= 0 { break }
            }
            close(master)
        }
    }

    deinit { close(keyboard) }

    /// Whether what is typed is shown, as it is where no program has changed that.
    var hasEcho: Bool {
        var settings = termios()
        return tcgetattr(keyboard, &settings) == 0 && settings.c_lflag & tcflag_t(ECHO) != 0
    }

    /// Waits for the text, and takes everything up to its end: what comes after it may be there already. Waits without end for
    /// what never comes, unless the terminal ends.
    func read(until text: String) async throws -> String {
        while true {
            let (seen, isEnded) = state.withLock { ($0.bytes, $0.isEnded) }
            if let end = seen.firstRange(of: Array(text.utf8))?.upperBound {
                state.withLock { $0.bytes.removeFirst(end) }
                return String(decoding: seen[..<end], as: UTF8.self)
            }
            guard !isEnded else {
                throw Failure(reason: "“\(text)” never came, only “\(String(decoding: seen, as: UTF8.self))”")
            }
            await news(since: seen.count)
        }
    }

    /// Everything that has been written and not read, when nobody writes any more.
    func readRest() async -> String {
        close(slave)
        while true {
            let (seen, isEnded) = state.withLock { ($0.bytes, $0.isEnded) }
            if isEnded { return String(decoding: seen, as: UTF8.self) }
            await news(since: seen.count)
        }
    }

    private func news(since count: Int) async {
        await withCheckedContinuation { continuation in
            let mustWait = state.withLock { state in
                guard state.bytes.count == count, !state.isEnded else { return false }
                state.waiters.append(continuation)
                return true
            }
            if !mustWait { continuation.resume() }
        }
    }

    private static func change(_ state: Lock<State>, _ body: (inout State) -> Void) {
        let waiters = state.withLock { state in
            body(&state)
            defer { state.waiters = [] }
            return state.waiters
        }
        for waiter in waiters { waiter.resume() }
    }
}
