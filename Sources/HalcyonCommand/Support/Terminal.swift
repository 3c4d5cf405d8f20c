internal import Glibc

/// What the command says, and where.
enum Terminal {
    /// Whether a person watches the error output.
    static var isInteractive: Bool {
        isatty(STDERR_FILENO) == 1 && getenv("TERM").map { String(cString: $0) } != "dumb"
    }

    /// Columns of the terminal; 80 where that is not known.
    static var width: Int {
        var size = winsize()
        guard ioctl(STDERR_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return 80 }
        return Int(size.ws_col)
    }

    /// Writes a line of results.
    static func print(_ line: String) {
        write(line + "\n", to: STDOUT_FILENO)
    }

    /// Writes a line about what goes wrong.
    static func warn(_ line: String) {
        write("halcyon: \(line)\n", to: STDERR_FILENO)
    }

    /// Writes to the error output as it is.
    static func writeError(_ text: String) {
        write(text, to: STDERR_FILENO)
    }

    /// One call a line, so that lines of several threads do not mix. A reader that has gone ends the output silently.
    private static func write(_ text: String, to descriptor: Int32) {
        var text = text
        text.withUTF8 { bytes in
            var rest = UnsafeRawBufferPointer(bytes)[...]
            while !rest.isEmpty {
                let count = Glibc.write(descriptor, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
                guard count > 0 else { return }
                rest = rest.dropFirst(count)
            }
        }
    }
}
