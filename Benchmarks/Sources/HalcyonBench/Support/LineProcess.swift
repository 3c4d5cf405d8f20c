internal import Glibc

/// A program that is told a line and answers with one. Ends with this process at the latest, as its input does.
final class LineProcess {
    private let id: pid_t
    private let descriptor: Int32
    private var received: [UInt8] = []

    /// Starts a program, found in `PATH`. Its input and output are the conversation, its errors are ours.
    init(_ program: String, _ arguments: [String]) throws {
        // Closed on exec from the start, so that no other program keeps an end open.
        var ends: [Int32] = [-1, -1]
        guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0, &ends) == 0 else {
            throw BenchmarkError("no socket: \(String(cString: strerror(errno)))")
        }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, ends[1], 0)
        posix_spawn_file_actions_adddup2(&actions, ends[1], 1)
        var words = ([program] + arguments).map { strdup($0) } + [nil]
        defer { words.forEach { free($0) } }
        var id = pid_t()
        let code = posix_spawnp(&id, program, &actions, nil, &words, environ)
        close(ends[1])
        self.id = id
        descriptor = ends[0]
        guard code == 0 else { throw BenchmarkError("\(program) cannot be run: \(String(cString: strerror(code)))") }
    }

    deinit {
        close(descriptor)
        kill(id, SIGKILL)
        while waitpid(id, nil, 0) < 0, errno == EINTR {}
    }

    /// Says a line and waits for the answer.
    func ask(_ line: String) throws -> String {
        let bytes = Array((line + "\n").utf8)
        let count = bytes.withUnsafeBytes { send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
        guard count == bytes.count else { throw BenchmarkError("it has ended") }
        return try answer()
    }

    /// Waits for a line.
    func answer() throws -> String {
        while true {
            if let end = received.firstIndex(of: UInt8(ascii: "\n")) {
                let line = String(decoding: received[..<end], as: UTF8.self)
                received.removeSubrange(...end)
                return line
            }
            var buffer = [UInt8](repeating: 0, count: 4_096)
            let count = read(descriptor, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw BenchmarkError("it has ended") }
            received += buffer[..<count]
        }
    }
}
