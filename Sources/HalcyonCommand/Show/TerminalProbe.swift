internal import Glibc
internal import Halcyon

/// Finds out what the terminal of the standard output shows, by asking it.
enum TerminalProbe {
    /// The time that a terminal may take to reply, in milliseconds: one at the other end of a slow connection.
    private static let patience = 1_000
    /// The most bytes of replies.
    private static let replyLimit = 4_096

    /// Returns what is known of the terminal. Where the standard output is none, blocks of 80 columns.
    ///
    /// - Parameter wanted: The protocol to use, whatever the terminal replies. Default: `nil`, the best that it has.
    static func display(wanted: GraphicsProtocol? = nil) -> TerminalDisplay {
        var display = TerminalDisplay()
        display.isTerminal = isatty(STDOUT_FILENO) == 1
        display.hasTrueColor = hasTrueColor || !display.isTerminal
        if display.isTerminal {
            readSize(into: &display)
            if mayAsk { replies().apply(to: &display) }
        }
        display.graphics = wanted ?? display.graphics
        return display
    }

    /// Whether the terminal obeys escape sequences at all.
    static var hasSequences: Bool {
        let type = variable("TERM")
        return !type.isEmpty && type != "dumb"
    }

    private static func variable(_ name: String) -> String { getenv(name).map { String(cString: $0) } ?? "" }

    /// Whether a terminal within another one, such as that of tmux, answers for it.
    private static var isWithin: Bool {
        let type = variable("TERM")
        return !variable("TMUX").isEmpty || !variable("STY").isEmpty || type.hasPrefix("tmux")
            || type.hasPrefix("screen")
    }

    private static var hasTrueColor: Bool {
        // tmux reduces colours to those of the terminal that it runs in.
        ["truecolor", "24bit"].contains(variable("COLORTERM")) || !variable("TMUX").isEmpty
            || ["kitty", "direct", "alacritty", "foot"].contains { variable("TERM").contains($0) }
    }

    /// Whether a question does no harm: the console of Linux would print it, and one in the background is stopped.
    private static var mayAsk: Bool {
        hasSequences && variable("TERM") != "linux" && fcntl(STDOUT_FILENO, F_GETFL) & O_ACCMODE == O_RDWR
    }

    private static func readSize(into display: inout TerminalDisplay) {
        var size = winsize()
        guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 0 else { return }
        display.columns = Int(size.ws_col)
        display.rows = Int(size.ws_row)
        let cell = PixelSize(Int(size.ws_xpixel) / display.columns, Int(size.ws_ypixel) / display.rows)
        if !cell.isEmpty { display.cell = cell }
    }

    private static func replies() -> TerminalReplies {
        guard TerminalScreen.silence(isRaw: true) else { return TerminalReplies([]) }
        defer { TerminalScreen.restore(discardsInput: true) }
        // The colour behind the text, the size of a character, the number of colours and the largest size of sixel
        // images, and at last what every terminal replies to: its kind.
        var questions = "\u{1B}]11;?\u{1B}\\\u{1B}[16t\u{1B}[?1;1;0S\u{1B}[?2;1;0S\u{1B}[c"
        // tmux takes it for a title.
        if !isWithin { questions = "\u{1B}_Gi=31,s=1,v=1,a=q,t=d,f=24;AAAA\u{1B}\\" + questions }
        Terminal.write(Array(questions.utf8))
        let start = ContinuousClock.now
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 1_024)
        while bytes.count < replyLimit {
            let replies = TerminalReplies(bytes)
            let rest = patience - Int((ContinuousClock.now - start).milliseconds)
            if replies.isComplete || rest <= 0 { return replies }
            var ready = pollfd(fd: STDOUT_FILENO, events: Int16(POLLIN), revents: 0)
            guard poll(&ready, 1, Int32(rest)) >= 0 || errno == EINTR else { break }
            guard ready.revents & Int16(POLLIN) != 0 else {
                if ready.revents != 0 { break }
                continue
            }
            let count = read(STDOUT_FILENO, &buffer, buffer.count)
            if count < 0, errno == EINTR || errno == EAGAIN { continue }
            guard count > 0 else { break }
            bytes += buffer[..<count]
        }
        return TerminalReplies(bytes)
    }
}
