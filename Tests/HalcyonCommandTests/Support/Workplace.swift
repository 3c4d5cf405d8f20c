import FoundationEssentials
import Glibc
import HalcyonSystem

/// A folder of a test's own in which it runs the built command, with a cache of its own beside it.
final class Workplace: Sendable {
    /// What a run left.
    struct Outcome: Sendable {
        var exitCode: Int32?
        var signal: Int32?
        var isOverdue: Bool
        var output: String
        var error: String

        /// The lines of the standard output.
        var lines: [String] { output.split(separator: "\n").map(String.init) }
    }

    /// A run that goes on.
    struct Running: Sendable {
        let process: ChildProcess
        fileprivate let capture: String

        /// Waits for the end.
        var outcome: Outcome {
            get async throws {
                let ending = await process.ending
                return Outcome(
                    exitCode: ending.exitCode,
                    signal: ending.signal,
                    isOverdue: ending.isOverdue,
                    output: String(decoding: try Data(contentsOf: URL(filePath: capture + ".out")), as: UTF8.self),
                    error: String(decoding: try Data(contentsOf: URL(filePath: capture + ".err")), as: UTF8.self)
                )
            }
        }
    }

    /// Holds everything.
    let root: String
    /// Where the command runs.
    var folder: String { root + "/work" }
    /// `$XDG_CACHE_HOME`.
    var cacheHome: String { root + "/cache" }
    /// Where the command keeps images.
    var cacheFolder: String { cacheHome + "/halcyon/default" }
    private let runCount = Lock(0)

    init() throws {
        let base = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
        root = "\(base)/halcyon-command-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        try FileManager.default.createDirectory(atPath: cacheHome, withIntermediateDirectories: true)
    }

    deinit {
        try? FileManager.default.removeItem(atPath: root)
    }

    /// The command beside the test bundle.
    static let executable: String = {
        var buffer = [CChar](repeating: 0, count: 4096)
        let count = readlink("/proc/self/exe", &buffer, buffer.count)
        let path = String(decoding: buffer.prefix(max(0, count)).map { UInt8(bitPattern: $0) }, as: UTF8.self)
        return (path.lastIndex(of: "/").map { String(path[..<$0]) } ?? ".") + "/HalcyonCommand"
    }()

    /// Runs the command to its end.
    func run(_ arguments: String..., cacheHome: String? = nil) async throws -> Outcome {
        try await start(arguments, cacheHome: cacheHome).outcome
    }

    /// Starts the command.
    ///
    /// - Parameters:
    ///   - input: A file of ``folder`` that becomes its standard input; by default there is nothing to read.
    ///   - inputDescriptor: Becomes its standard input, in the place of `input`.
    ///   - output: Becomes its standard output, instead of a file that is read at the end.
    ///   - error: The same for the error output.
    ///   - executable: Another command, by its path.
    ///   - settings: Environment variables besides those of every run, or in their place.
    func start(
        _ arguments: [String],
        executable: String = Workplace.executable,
        settings: [String: String] = [:],
        cacheHome: String? = nil,
        input: String? = nil,
        inputDescriptor: Int32? = nil,
        output: Int32? = nil,
        error: Int32? = nil
    ) throws -> Running {
        let number = runCount.withLock { count in
            count += 1
            return count
        }
        let capture = "\(root)/run-\(number)"
        let input = open(input.map(path) ?? "/dev/null", O_RDONLY | O_CLOEXEC)
        let outputFile = open(capture + ".out", O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        let errorFile = open(capture + ".err", O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        defer { for descriptor in [input, outputFile, errorFile] { close(descriptor) } }
        var environment = [
            "HOME": root, "XDG_CACHE_HOME": cacheHome ?? self.cacheHome, "TMPDIR": root, "TERM": "xterm",
            "LANG": "C.UTF-8", "PATH": "/usr/bin:/bin",
        ]
        // Where a sanitizer finds its library, and what it is to look for.
        for name in ["LD_LIBRARY_PATH", "ASAN_OPTIONS", "TSAN_OPTIONS"] {
            if let value = getenv(name) { environment[name] = String(cString: value) }
        }
        let process = try ChildProcess(
            executable,
            arguments,
            environment: environment.merging(settings) { $1 },
            folder: folder,
            input: inputDescriptor ?? input,
            output: output ?? outputFile,
            error: error ?? errorFile
        )
        return Running(process: process, capture: capture)
    }

    /// A path in ``folder``.
    func path(_ name: String) -> String { "\(folder)/\(name)" }

    /// Writes a file into ``folder``.
    @discardableResult
    func write(_ bytes: [UInt8], to name: String) throws -> String {
        try Data(bytes).write(to: URL(filePath: path(name)))
        return path(name)
    }

    /// Reads a file of ``folder``.
    func read(_ name: String) throws -> [UInt8] {
        [UInt8](try Data(contentsOf: URL(filePath: path(name))))
    }

    /// Every file below a folder, hidden ones included, as sorted relative paths.
    static func files(below folder: String) -> [String] {
        let names = (try? FileManager.default.subpathsOfDirectory(atPath: folder)) ?? []
        return names.filter { name in
            var isFolder = false
            return FileManager.default.fileExists(atPath: folder + "/" + name, isDirectory: &isFolder) && !isFolder
        }
        .sorted()
    }
}
