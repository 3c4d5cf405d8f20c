internal import Glibc

/// A process that reads a line and answers with one: its input may crash it or keep it busy for ever.
///
/// It reads from its standard input and answers on descriptor 3, because libraries write to the standard output too.
final class CheckingProcess {
    /// An event of the process.
    enum Event: Hashable {
        /// Nothing complete yet.
        case nothing
        case answer(String)
        /// It ended without an answer.
        case ended(String)
    }

    static let answerDescriptor: Int32 = 3

    /// Becomes readable with an answer, or at the end of the process.
    let descriptor: Int32
    private let id: pid_t
    private let errors: UnsafeMutablePointer<FILE>?
    private var received: [UInt8] = []
    private var isRunning = true

    /// Starts a program.
    ///
    /// - Parameter arguments: The first is the program's path.
    init(_ arguments: [String]) throws {
        // Closed on exec from the start, so that no other process keeps an end open.
        var ends: [Int32] = [-1, -1]
        let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        guard socketpair(AF_UNIX, kind, 0, &ends) == 0 else {
            throw CheckingProcessError("no socket: \(String(cString: strerror(errno)))")
        }
        // The last words of a process that crashes.
        errors = tmpfile()
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, ends[1], 0)
        posix_spawn_file_actions_adddup2(&actions, ends[1], Self.answerDescriptor)
        posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0)
        if let errors {
            posix_spawn_file_actions_adddup2(&actions, fileno(errors), 2)
        }
        var words = arguments.map { strdup($0) } + [nil]
        defer { words.forEach { free($0) } }
        var id = pid_t()
        let code = posix_spawn(&id, arguments[0], &actions, nil, &words, environ)
        close(ends[1])
        self.id = id
        descriptor = ends[0]
        guard code == 0 else {
            isRunning = false
            throw CheckingProcessError("\(arguments[0]) cannot be run: \(String(cString: strerror(code)))")
        }
    }

    deinit {
        end()
        close(descriptor)
        if let errors { fclose(errors) }
    }

    /// Hands a line over. That the process is gone shows where its answer is read.
    func send(_ line: String) {
        let bytes = Array((line + "\n").utf8)
        var offset = 0
        while offset < bytes.count {
            let count = bytes[offset...].withUnsafeBytes {
                Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return }
            offset += count
        }
    }

    /// Reads what is there; waits if there is nothing.
    func receive() -> Event {
        var buffer = [UInt8](repeating: 0, count: 4_096)
        let count = read(descriptor, &buffer, buffer.count)
        if count < 0, errno == EINTR { return .nothing }
        guard count > 0 else { return .ended(lastWords()) }
        received += buffer[..<count]
        guard let end = received.firstIndex(of: UInt8(ascii: "\n")) else { return .nothing }
        let line = String(decoding: received[..<end], as: UTF8.self)
        received.removeSubrange(...end)
        return .answer(line)
    }

    /// Ends the process if it still runs, and waits until it has.
    func end() {
        guard isRunning else { return }
        kill(id, SIGKILL)
        _ = wait()
    }

    private func wait() -> Int32 {
        isRunning = false
        var status: Int32 = 0
        while waitpid(id, &status, 0) < 0, errno == EINTR {}
        return status
    }

    /// Returns the way in which the process ended, and its last output.
    private func lastWords() -> String {
        guard isRunning else { return "ended" }
        let status = wait()
        let signal = status & 0x7F
        let end =
            signal == 0
            ? "exit code \(status >> 8 & 0xFF)" : "signal \(signal), \(String(cString: strsignal(signal)))"
        var words: [UInt8] = []
        if let errors {
            words = [UInt8](repeating: 0, count: 65_536)
            let count = pread(fileno(errors), &words, words.count, 0)
            words = Array(words.prefix(max(0, count)))
        }
        // Of a stack trace the line that says why.
        let lines = words.split(separator: UInt8(ascii: "\n")).map { String(decoding: $0, as: UTF8.self) }
        let reason = lines.first { $0.contains("Fatal error") || $0.contains("ERROR: ") } ?? lines.last ?? ""
        return reason.isEmpty ? end : "\(end): \(reason)"
    }
}

/// The reason for which a process could not be started.
struct CheckingProcessError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}
