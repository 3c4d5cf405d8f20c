internal import ArgumentParser
internal import FoundationEssentials
internal import Glibc
internal import HalcyonIsolation
internal import HalcyonSystem

/// The command `HalcyonSearch`: searches for programs of public calls that break what the library promises.
@main
struct SearchCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "HalcyonSearch",
        abstract: "Play random programs of public calls against the pipeline, and check every answer.",
        discussion: """
            A program that breaks a rule is made small, printed, and kept in a file.

            Exit codes: 0 nothing was found, 1 something was, 64 the command line made no sense.
            """,
        subcommands: [ModelCommand.self, PlayCommand.self, BatchCommand.self],
        defaultSubcommand: ModelCommand.self
    )

    static func main() async {
        HalcyonWorker.runIfAsked()
        await main(nil)
    }
}

/// The command that searches for some minutes.
private struct ModelCommand: ParsableCommand {
    static let configuration = CommandConfiguration(commandName: "model", abstract: "Search for some minutes.")

    @Option(help: "How long to search; default: 3.")
    var minutes = 3.0

    @Option(help: "The first seed; default: another each time.")
    var seed: UInt64?

    @Flag(help: "Go on after a finding, and tell each rule once.")
    var all = false

    @Option(help: "Where failing programs are written.")
    var findings = ".build/search"

    @OptionGroup var conditions: ConditionOptions

    func run() throws {
        let seed = seed ?? UInt64.random(in: 0..<1 << 32)
        Output.line("Seed \(seed), \(minutes) minutes")
        let search = ModelSearch(
            seed: seed,
            seconds: minutes * 60,
            findsAll: all,
            conditions: conditions.value,
            folder: findings
        )
        let (results, count) = try search.run()
        Output.line("\(count) programs, \(results.count) findings")
        if !results.isEmpty { throw ExitCode(1) }
    }
}

/// The command that plays a program from a file.
private struct PlayCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "play", abstract: "Play a program from a file.")

    @Argument(help: "The file, or `seed:N` for the program of a seed.")
    var file: String

    @Option(help: "How often, unless it fails before.")
    var times = 20

    @OptionGroup var conditions: ConditionOptions

    @Flag(help: .hidden)
    var quiet = false

    func run() async throws {
        let program: Program
        if file.hasPrefix("seed:"), let seed = UInt64(file.dropFirst(5)) {
            program = ProgramGenerator.program(seed: seed)
        } else {
            program = try Program.decoded(Data(contentsOf: URL(filePath: file)))
        }
        if !quiet { Output.line("\(program)") }
        for number in 1...max(1, times) {
            guard let finding = await Trial.run(program, conditions.value) else { continue }
            if quiet { Output.write(finding) } else { Output.line("play \(number): \(finding)") }
            // Running activities must not delay the verdict.
            _exit(1)
        }
        if !quiet { Output.line("played \(times) times: nothing found") }
    }
}

/// The command that plays the programs of one seed after the other, and prints which one it plays: this process may not
/// survive it.
private struct BatchCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "batch", shouldDisplay: false)

    @Option var seed: UInt64
    @Option var seconds: Double
    @OptionGroup var conditions: ConditionOptions

    func run() async throws {
        let deadline = ContinuousClock.now + .seconds(seconds)
        var seed = seed
        var openFiles: Int?
        // The runtime opens files for its timers with the first one.
        await withCheckedContinuation { continuation in MemoryPool.onDispatch(.zero) { continuation.resume() } }
        repeat {
            Output.line("seed \(seed)")
            var finding = await Trial.run(ProgramGenerator.program(seed: seed), conditions.value)
            // The first program opens the files that stay open.
            if finding == nil, let openFiles { finding = await leakedFiles(openFiles) }
            if let finding {
                Output.write(finding)
                _exit(1)
            }
            WorkerPool.shared.endAll()
            openFiles = openFiles ?? OpenFiles.count
            seed += 1
        } while ContinuousClock.now < deadline
    }

    private func leakedFiles(_ expected: Int) async -> Finding? {
        // Workers without work stay for a while.
        WorkerPool.shared.endAll()
        // Threads that close them may run later.
        for _ in 0..<conditions.patience * 1_000 {
            if OpenFiles.count <= expected { return nil }
            await Sleep.briefly()
        }
        return Finding(rule: .leftover, message: "\(OpenFiles.count) open files, \(expected) before")
    }
}

/// The options for the conditions of plays.
private struct ConditionOptions: ParsableArguments {
    @Option(help: "A rule that may be broken, as it would hide others. Can be repeated.")
    var ignore: [Finding.Rule] = []

    @Option(help: .hidden)
    var patience = 30

    @Option(help: .hidden)
    var planted: PlantedDefect?

    var value: Conditions { Conditions(patience: patience, ignored: Set(ignore), planted: planted) }
}

extension PlantedDefect: ExpressibleByArgument {}

extension Finding.Rule: ExpressibleByArgument {}
