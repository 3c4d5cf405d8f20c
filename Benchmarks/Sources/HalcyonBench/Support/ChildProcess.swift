internal import Glibc

/// A program that runs beside this one and ends with it at the latest.
final class ChildProcess: Sendable {
    private let cleanUp: CleanUp.Token

    /// Starts a program, found in `PATH` or the folders for system programs.
    init(_ program: String, _ arguments: [String]) throws {
        let id = try Self.spawn(program, arguments)
        cleanUp = CleanUp.Token {
            kill(id, SIGTERM)
            waitpid(id, nil, 0)
        }
    }

    /// Ends the program and waits for its end.
    func stop() {
        cleanUp.run()
    }

    /// Runs a program to its end, its output thrown away.
    static func run(_ program: String, _ arguments: [String]) throws {
        let id = try spawn(program, arguments)
        var status: Int32 = 0
        while waitpid(id, &status, 0) < 0, errno == EINTR {}
        guard status == 0 else { throw BenchmarkError("\(program) \(arguments.joined(separator: " ")) failed") }
    }

    private static func spawn(_ program: String, _ arguments: [String]) throws -> pid_t {
        guard let path = find(program) else {
            throw BenchmarkError("\(program) is not installed (apt-get install \(program))")
        }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        for descriptor: Int32 in [0, 1, 2] {
            posix_spawn_file_actions_addopen(&actions, descriptor, "/dev/null", O_RDWR, 0)
        }
        var words = ([path] + arguments).map { strdup($0) } + [nil]
        defer { words.forEach { free($0) } }
        var id = pid_t()
        let code = posix_spawn(&id, path, &actions, nil, &words, environ)
        guard code == 0 else { throw BenchmarkError("\(path) cannot be run: \(String(cString: strerror(code)))") }
        return id
    }

    private static func find(_ program: String) -> String? {
        if program.contains("/") { return access(program, X_OK) == 0 ? program : nil }
        let folders = (getenv("PATH").map { String(cString: $0) } ?? "") + ":/usr/sbin:/usr/local/sbin"
        return folders.split(separator: ":").map { "\($0)/\(program)" }.first { access($0, X_OK) == 0 }
    }
}
