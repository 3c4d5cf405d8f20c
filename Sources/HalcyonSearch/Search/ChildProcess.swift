internal import FoundationEssentials
internal import Glibc

/// A run of this program in a process of its own, which may crash or hang.
struct ChildProcess {
    /// The ways in which it ended.
    enum End: Hashable {
        case exited(Int32)
        case signalled(Int32)
        /// It did not end, and was killed.
        case timedOut
    }

    let end: End
    /// The lines that it printed.
    let output: [String]
    /// The line of its errors that states why it ended, or the last one.
    let reason: String

    /// Runs this program with other arguments, and waits for its end.
    static func run(_ arguments: [String], seconds: Double) throws -> ChildProcess {
        guard let output = tmpfile(), let errors = tmpfile() else { throw SearchError("no temporary file") }
        defer {
            fclose(output)
            fclose(errors)
        }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_adddup2(&actions, fileno(output), 1)
        posix_spawn_file_actions_adddup2(&actions, fileno(errors), 2)
        let path = try ownPath()
        var words = ([path] + arguments).map { strdup($0) } + [nil]
        defer { words.forEach { free($0) } }
        var id = pid_t()
        let code = posix_spawn(&id, path, &actions, nil, &words, environ)
        guard code == 0 else { throw SearchError("\(path) cannot be run: \(String(cString: strerror(code)))") }
        let end = wait(for: id, seconds: seconds)
        let lines = text(of: errors)
        let reason = lines.first { $0.contains("Fatal error") || $0.contains("ERROR: ") } ?? lines.last ?? ""
        return ChildProcess(end: end, output: text(of: output), reason: reason)
    }

    private static func wait(for id: pid_t, seconds: Double) -> End {
        let deadline = ContinuousClock.now + .seconds(seconds)
        var status: Int32 = 0
        while true {
            let result = waitpid(id, &status, WNOHANG)
            if result == id { break }
            if result < 0, errno != EINTR { return .exited(-1) }
            if ContinuousClock.now > deadline {
                kill(id, SIGKILL)
                waitpid(id, &status, 0)
                return .timedOut
            }
            Sleep.microseconds(2_000)
        }
        return status & 0x7F == 0 ? .exited(status >> 8 & 0xFF) : .signalled(status & 0x7F)
    }

    private static func text(of file: UnsafeMutablePointer<FILE>) -> [String] {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = pread(fileno(file), &buffer, buffer.count, off_t(bytes.count))
            guard count > 0 else { break }
            bytes += buffer[..<count]
        }
        return bytes.split(separator: UInt8(ascii: "\n")).map { String(decoding: $0, as: UTF8.self) }
    }

    /// Returns the path of this program, also where a test has been built with it.
    static func ownPath() throws -> String {
        var buffer = [CChar](repeating: 0, count: 4_096)
        let count = readlink("/proc/self/exe", &buffer, buffer.count)
        guard count > 0 else { throw SearchError("this program's path cannot be read") }
        let own = String(decoding: buffer[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
        if own.hasSuffix("/HalcyonSearch") { return own }
        return own.split(separator: "/").dropLast().map { "/" + $0 }.joined() + "/HalcyonSearch"
    }
}

/// The reason why a search could not go on.
struct SearchError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}
