internal import ArgumentParser
internal import Dispatch
internal import FoundationEssentials
internal import Glibc
internal import HalcyonCodecs
internal import HalcyonIsolation
internal import HalcyonTesting

/// `HalcyonConformance malformed`
struct MalformedCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "malformed",
        abstract: "Decode damaged files in confined processes: each gives an image or an error.",
        discussion: """
            The files are those of the collections that were made for fuzzing, those of further folders, and mutants of the \
            small images of all formats. Prints each file that ended its process, with the seed that makes it again. \
            Conforms if every file is answered within the time, and if neither a descriptor nor a process is left.
            """
    )

    @Option(
        help: ArgumentHelp(
            "The folder of the collections. Default: HALCYON_CORPORA, else ../shared/corpora.",
            valueName: "directory"
        )
    )
    var corpora: String?

    @Option(name: .customLong("folder"), help: ArgumentHelp("A further folder of files.", valueName: "directory"))
    var folders: [String] = []

    @Option(help: "The number of files.")
    var count = 10_000

    @Option(help: "The first seed of mutants.")
    var seed: UInt64 = 1

    @Option(help: "Seconds after which a file that gives no answer has failed.")
    var timeout = 30.0

    @Option(help: ArgumentHelp("Only files whose path has this in it.", valueName: "text"))
    var filter = ""

    @Option(help: ArgumentHelp("Write each file that ended its process to this folder.", valueName: "directory"))
    var keep: String?

    /// The greatest file that mutants are made of, in bytes.
    private static let greatestSeed = 128 << 10

    func validate() throws {
        guard count > 0, timeout > 0 else { throw ValidationError("There must be a file, and some time.") }
    }

    func run() throws {
        let folder = CorporaFolder(corpora).path
        let whole = (Self.files(in: [folder]).filter { $0.contains("/fuzz_") } + Self.files(in: folders))
            .filter { $0.contains(filter) }
        let seeds = Self.files(in: [folder]).filter { $0.contains(filter) && !$0.contains("/fuzz_") }
        guard !whole.isEmpty || !seeds.isEmpty else {
            throw MissingCorpus.exitCode(reporting: MissingCorpus(path: folder))
        }
        let trial = MalformedTrial()
        openTimers()
        let (files, processes) = (Self.openFileCount, Self.childCount)
        DispatchQueue.concurrentPerform(iterations: count) { index in
            guard let file = input(index, whole, seeds) else { return }
            trial.run(file, timeout: Int(timeout * 1_000)) { cause in
                if let keep { try? file.data.write(to: URL(fileURLWithPath: "\(keep)/\(index)-\(cause)")) }
            }
        }
        trial.finish()
        let left = (files: Self.openFileCount - files, processes: Self.childCount - processes)
        for line in trial.lines + [""] + trial.totals { print(line) }
        print("Left behind: \(left.files) open files, \(left.processes) processes")
        if trial.hasFailed || left.files > 0 || left.processes > 0 { throw ExitCode(1) }
    }

    /// Has the runtime open what it needs for timers, which stays open.
    private func openTimers() {
        let isOpen = DispatchSemaphore(value: 0)
        Task {
            try? await Task.sleep(for: .milliseconds(1))
            isOpen.signal()
        }
        isOpen.wait()
    }

    private static var openFileCount: Int { names(in: "/proc/self/fd").count }

    /// The number of child processes, those included that have ended and were not waited for.
    private static var childCount: Int {
        names(in: "/proc/self/task").reduce(0) { count, thread in
            let children = FileManager.default.contents(atPath: "/proc/self/task/\(thread)/children") ?? Data()
            return count + children.split(separator: UInt8(ascii: " ")).count
        }
    }

    private static func names(in folder: String) -> [String] {
        (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    }

    private func input(_ index: Int, _ whole: [String], _ seeds: [String]) -> MalformedTrial.File? {
        if index < whole.count {
            return Self.contents(whole[index]).map { MalformedTrial.File(number: index, name: whole[index], data: $0) }
        }
        guard !seeds.isEmpty else { return nil }
        let seed = seed &+ UInt64(index)
        var random = SeededGenerator(seed: seed)
        // Another one where a file is too large.
        for _ in 0..<32 {
            guard let path = seeds.randomElement(using: &random), let data = Self.contents(path),
                data.count <= Self.greatestSeed
            else { continue }
            var mutation = FileMutation(seed: seed)
            return MalformedTrial.File(number: index, name: "\(path), seed \(seed)", data: mutation.mutant(of: data))
        }
        return nil
    }

    private static func files(in folders: [String]) -> [String] {
        folders.flatMap { folder in
            (try? FileManager.default.subpathsOfDirectory(atPath: folder))?.sorted().map { "\(folder)/\($0)" } ?? []
        }
    }

    private static func contents(_ path: String) -> Data? {
        var status = stat()
        guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
        return FileManager.default.contents(atPath: path)
    }
}
