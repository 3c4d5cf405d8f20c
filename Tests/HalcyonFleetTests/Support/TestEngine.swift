import FoundationEssentials
import Glibc
import HalcyonSystem
import Testing

@testable import HalcyonFleet

/// An engine of a test: a process on a loopback port, without persistence, in a folder of its own.
final class TestEngine: Sendable {
    /// The engine that is installed; `nil` without one.
    static let program: String? = ["redis-server", "valkey-server"].lazy.compactMap { name in
        (getenv("PATH").map { String(cString: $0) } ?? "").split(separator: ":").map { "\($0)/\(name)" }
            .first { access($0, X_OK) == 0 }
    }.first

    /// `false`, with a clear line in the log, where no engine is installed.
    static var isInstalled: Bool { program != nil }
    static let installationHint: Comment =
        "neither redis-server nor valkey-server is installed (Scripts/bootstrap test)"

    let port: Int
    let folder: String
    private let process: Lock<pid_t>
    private let arguments: [String]

    var address: EngineAddress { EngineAddress(host: "127.0.0.1", port: port) }
    var url: String { "redis://127.0.0.1:\(port)" }

    /// Starts an engine, and waits until it answers.
    ///
    /// - Parameters:
    ///   - options: Options of the command line, such as `["--maxmemory", "10mb"]`.
    ///   - port: Default: a free one.
    init(
        _ options: [String] = [],
        port: Int? = nil,
        isSentinel: Bool = false,
        setup: (String, Int) throws -> [String] = { _, _ in [] }
    )
        async throws
    {
        let program = try #require(Self.program)
        let port = try port ?? Self.freePort()
        let folder = "/tmp/halcyon-engine-\(getpid())-\(port)-\(UInt32.random(in: 0 ... .max))"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let file = try setup(folder, port)
        self.port = port
        self.folder = folder
        arguments =
            [program] + file + ["--port", "\(port)", "--bind", "127.0.0.1", "--dir", folder]
            + (isSentinel ? ["--sentinel"] : ["--save", "", "--appendonly", "no"]) + options
        process = Lock(0)
        try await start()
    }

    deinit {
        kill()
        try? FileManager.default.removeItem(atPath: folder)
    }

    /// Threads that wait for processes: Swift's own are as many as the machine has cores, and run all tests.
    private static let threads = WorkQueue(name: "halcyon.test-engines", width: 16)

    /// Runs a function that waits for a process.
    static func blocking<Result: Sendable>(_ body: @escaping @Sendable () throws -> Result) async throws -> Result {
        try await threads.run(priority: PriorityBox(.normal)) { _ in try body() }
    }

    /// Starts the process again, empty.
    func start() async throws {
        try await Self.blocking { [self] in try startProcess() }
    }

    private func startProcess() throws {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_addopen(&actions, 1, folder + "/log", O_WRONLY | O_CREAT | O_APPEND, 0o600)
        posix_spawn_file_actions_adddup2(&actions, 1, 2)
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var signals = sigset_t()
        sigemptyset(&signals)
        posix_spawnattr_setsigmask(&attributes, &signals)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
        var strings = arguments.map { strdup($0) } + [nil]
        defer { for string in strings { free(string) } }
        var id = pid_t()
        let code = posix_spawn(&id, arguments[0], &actions, &attributes, &strings, environ)
        guard code == 0 else { throw FleetError.unreachable("127.0.0.1:\(port)", reason: "posix_spawn: \(code)") }
        process.withLock { $0 = id }
        // A new process may take a while; each attempt waits for the socket or for the reply.
        let end = ContinuousClock.now + .seconds(60)
        while true {
            do {
                _ = try send("PING")
                return
            } catch {
                guard ContinuousClock.now < end else { throw error }
                usleep(5_000)
            }
        }
    }

    /// Ends the process as a crash would.
    func kill() {
        let id = process.withLock { id in
            defer { id = 0 }
            return id
        }
        guard id > 0 else { return }
        Glibc.kill(id, SIGKILL)
        var status: Int32 = 0
        while waitpid(id, &status, 0) == -1, errno == EINTR {}
    }

    /// Stops the process, which keeps its connections and answers nothing.
    func stop() { _ = Glibc.kill(process.withLock { $0 }, SIGSTOP) }

    /// Lets a stopped process go on.
    func resume() { _ = Glibc.kill(process.withLock { $0 }, SIGCONT) }

    /// Sends a command over a connection of its own, and returns the reply.
    @discardableResult
    func send(_ words: String...) throws -> EngineReply {
        let connection = try EngineConnection(to: address, encryption: nil, timeout: .seconds(2))
        let command = EngineCommand(words.map { Data($0.utf8) })
        return try connection.call([command], limits: .small, until: .now + .seconds(5))[0].checked()
    }

    /// The text of a section of `INFO`.
    func info(_ section: String) throws -> String { try send("INFO", section).text ?? "" }

    /// A number of `INFO`.
    func statistic(_ name: String, in section: String) throws -> Int {
        let line = try info(section).split(whereSeparator: \.isNewline).first { $0.hasPrefix("\(name):") }
        return try #require(line.flatMap { Int($0.dropFirst(name.count + 1)) })
    }

    /// Returns a port that nobody listens at, and whose bus port of a cluster is free too, and not among those
    /// that connections get.
    /// Each is given once, so that tests at the same time do not take one that another has found free.
    static func freePort() throws -> Int {
        try givenPorts.withLock { given in
            for _ in 0..<2_000 {
                let port = Int.random(in: 20_000..<22_700)
                if !given.contains(port), isFree(port), isFree(port + 10_000) {
                    given.insert(port)
                    return port
                }
            }
            throw FleetError.unreachable("127.0.0.1", reason: "no free port")
        }
    }

    private static let givenPorts = Lock<Set<Int>>([])

    private static func isFree(_ port: Int) -> Bool {
        // Closed in engines that start meanwhile, which would keep the port.
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(port).bigEndian
        address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
        return withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
    }
}

/// Waits until something that another process does has come true.
///
/// - Returns: `false` after a time that is longer than any failover of the tests.
func eventually(within time: Duration = .seconds(120), _ condition: () async throws -> Bool) async rethrows -> Bool {
    let end = ContinuousClock.now + time
    while true {
        if try await condition() { return true }
        guard ContinuousClock.now < end else { return false }
        try? await Task.sleep(for: .milliseconds(10))
    }
}
