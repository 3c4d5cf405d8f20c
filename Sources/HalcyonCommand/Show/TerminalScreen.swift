internal import Glibc
internal import HalcyonSystem

/// What this process has changed at the terminal of the standard output, for the time that it shows images: the cursor
/// is hidden, and what is typed is not echoed into the image.
///
/// No lock is held during a call that may wait for the terminal, so that a process which is ended by a second signal leaves
/// the terminal as it was, too.
enum TerminalScreen {
    private struct State {
        /// The settings before; `nil` while nothing is changed.
        var settings: termios?
        var isCursorHidden = false
    }

    private static let state = Lock(State())

    /// Whether this process may change settings: one in the background would be stopped by the attempt.
    static var isForeground: Bool {
        let group = tcgetpgrp(STDOUT_FILENO)
        // A terminal that does not control this process has no such group.
        return group < 0 ? errno == ENOTTY : group == getpgrp()
    }

    /// Ends the echo, until ``restore()``.
    ///
    /// - Parameter isRaw: Whether each byte is handed over at once and as it came, for replies of the terminal. Ctrl-C
    ///   stays what it is.
    /// - Returns: `false` if the standard output is no terminal that can be changed.
    static func silence(isRaw: Bool) -> Bool {
        guard isForeground else { return false }
        var settings = termios()
        guard tcgetattr(STDOUT_FILENO, &settings) == 0 else { return false }
        let before = settings
        state.withLock { $0.settings = $0.settings ?? before }
        settings.c_lflag &= ~tcflag_t(ECHO)
        if isRaw { settings.c_lflag &= ~tcflag_t(ICANON) }
        return tcsetattr(STDOUT_FILENO, TCSADRAIN, &settings) == 0
    }

    /// Hides the cursor, until ``restore()``.
    static func hideCursor() {
        state.withLock { $0.isCursorHidden = true }
        Terminal.write(Array("\u{1B}[?25l".utf8))
    }

    /// Sets everything back.
    ///
    /// - Parameter discardsInput: Whether bytes that were not read yet are dropped, such as a late reply.
    static func restore(discardsInput: Bool = false) {
        let changes = state.withLock { $0 }
        if changes.isCursorHidden { Terminal.write(showsCursor) }
        if var settings = changes.settings {
            tcsetattr(STDOUT_FILENO, discardsInput ? TCSAFLUSH : TCSADRAIN, &settings)
        }
        state.withLock { $0 = State() }
    }

    /// Sets everything back before the process ends without waiting for its work, in the middle of a drawing, as far as
    /// the terminal takes it at once.
    static func abandon() {
        let changes = state.withLock { $0 }
        var ready = pollfd(fd: STDOUT_FILENO, events: Int16(POLLOUT), revents: 0)
        if changes.isCursorHidden, poll(&ready, 1, 0) == 1, ready.revents & Int16(POLLOUT) != 0 {
            // CAN and ST end whatever sequence was begun.
            let bytes = Array("\u{18}\u{1B}\\\u{1B}[?2026l\u{1B}[0m\r\n".utf8) + showsCursor
            _ = Glibc.write(STDOUT_FILENO, bytes, bytes.count)
        }
        if var settings = changes.settings { tcsetattr(STDOUT_FILENO, TCSANOW, &settings) }
    }

    private static let showsCursor = Array("\u{1B}[?25h".utf8)
}
