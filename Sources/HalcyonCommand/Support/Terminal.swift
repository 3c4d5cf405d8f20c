internal import Glibc
internal import HalcyonSystem

/// The output of the command, to the standard output and the error output.
enum Terminal {
    /// The states of the standard output.
    enum OutputState {
        case open
        /// The reader has ended, as after `| head -1`.
        case closed
        /// Results could not be written, for example to a full disk.
        case failed
    }

    private static let state = Lock(OutputState.open)

    /// The state of the standard output.
    static var outputState: OutputState { state.withLock { $0 } }

    /// A Boolean value that indicates whether the error output is a terminal that a person watches.
    static var isInteractive: Bool {
        isatty(STDERR_FILENO) == 1 && getenv("TERM").map { String(cString: $0) } != "dumb"
    }

    /// The columns of the terminal that shows the error output; 80 where that is not known.
    static var width: Int { columns(of: STDERR_FILENO) ?? 80 }

    /// The columns of the terminal that shows the results, 80 where that is not known; `nil` where they go into a file or a
    /// pipe.
    static var resultWidth: Int? { showsResults ? columns(of: STDOUT_FILENO) ?? 80 : nil }

    /// The results that fit on a screen, with their head and summary; those of a usual terminal where there is none.
    static var resultRows: Int { max(5, (size(of: STDOUT_FILENO).map { Int($0.ws_row) } ?? 24) - 4) }

    /// Writes a line of results.
    static func print(_ line: String) {
        guard outputState == .open else { return }
        note(write(line.withoutControls + "\n", to: STDOUT_FILENO))
    }

    /// Remembers that the results cannot be written, by the `errno` of the attempt.
    private static func note(_ code: Int32) {
        guard code != 0 else { return }
        state.withLock { $0 = code == EPIPE ? .closed : .failed }
        if code != EPIPE { warn("Writing the results failed: \(String(cString: strerror(code)))") }
    }

    /// A Boolean value that indicates whether the results go to a terminal.
    static var showsResults: Bool { isatty(STDOUT_FILENO) == 1 }

    /// Writes bytes of results as they are: nothing that comes from elsewhere.
    static func write(_ bytes: [UInt8]) {
        guard outputState == .open else { return }
        note(bytes.withUnsafeBytes { write($0, to: STDOUT_FILENO) })
    }

    /// Writes a warning, a line on the error output.
    static func warn(_ line: String) {
        note("halcyon: \(line.withoutControls)")
    }

    /// The warning about an image of which a part is missing.
    static func partialImage(_ name: String) -> String {
        "\(name): the image is cut short or damaged; the part that can be read is shown"
    }

    /// Writes the lines of a text to the error output, without control characters.
    static func note(_ text: String) {
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            writeError(String(line).withoutControls + "\n")
        }
    }

    /// Writes text to the error output as it is: nothing that comes from elsewhere.
    static func writeError(_ text: String) {
        _ = write(text, to: STDERR_FILENO)
    }

    private static func columns(of descriptor: Int32) -> Int? { size(of: descriptor).map { Int($0.ws_col) } }

    private static func size(of descriptor: Int32) -> winsize? {
        var size = winsize()
        return ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0 && size.ws_col > 0 ? size : nil
    }

    /// Writes with one call for each line, so that lines of several threads do not mix. Returns 0 or the `errno`.
    private static func write(_ text: String, to descriptor: Int32) -> Int32 {
        var text = text
        return text.withUTF8 { write(UnsafeRawBufferPointer($0), to: descriptor) }
    }

    private static func write(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) -> Int32 {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = Glibc.write(descriptor, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
            if count < 0 {
                guard FileCalls.mayRepeat(on: descriptor, for: POLLOUT) else { return errno }
                continue
            }
            rest = rest.dropFirst(count)
        }
        return 0
    }
}
