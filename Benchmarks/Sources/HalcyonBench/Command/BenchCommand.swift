internal import ArgumentParser
internal import HalcyonIsolation

/// The command `halcyon-bench`.
@main
struct BenchCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "halcyon-bench",
        abstract: "Measures Halcyon side by side with what it is built on.",
        discussion: """
            Each row is one piece of work: what ours took, what the reference took in the same run, and the ratio \
            (ours ÷ reference, lower is better). Measure in release mode, on a machine that does little else; the \
            spread says how far to trust a row.
            """
    )

    /// Measures, or is one of the processes that are measured. That is no subcommand, because its name would be taken for
    /// a suite's.
    static func main() async {
        HalcyonWorker.runIfAsked()
        let words = CommandLine.arguments.dropFirst()
        switch words.first {
        case PixelContenderCommand.configuration.commandName: PixelContenderCommand.main(Array(words.dropFirst()))
        case MeasuredProcess.word: MeasuredProcess.main(Array(words.dropFirst()))
        case LoadBurstCase.word: await LoadBurstCase.main()
        case IsolatedLoadsCase.word: await IsolatedLoadsCase.main(Array(words.dropFirst()))
        default: await main(nil)
        }
    }

    private static var suites: [any BenchmarkSuite.Type] {
        [
            HTTPSuite.self, MemorySuite.self, DiskSuite.self, PixelsSuite.self, ProcessorsSuite.self,
            AnimationSuite.self, PipelineSuite.self, ViewsSuite.self, CommandsSuite.self, IsolationSuite.self,
        ]
    }

    @Argument(help: ArgumentHelp("The suites to run. Default: all.", valueName: "suite"))
    var names: [String] = []

    @Flag(name: .customLong("json"), help: "Write one JSON object a line.")
    var writesJSON = false

    @Flag(name: .customLong("list"), help: "List the suites and their cases, and measure nothing.")
    var listsOnly = false

    @Option(help: "How many pairs are measured for a row.")
    var samples = 11

    @Option(name: .customLong("filter"), help: "Run only cases whose name contains this text.")
    var filter: String?

    @Option(name: .customLong("count"), help: "Transfers in one sample of the http suite.")
    var transferCount = 3_000

    @Option(name: .customLong("urls"), help: "URLs that the pipeline suite prefetches from a server.")
    var prefetchCount = 10_000

    @Option(
        name: .customLong("async-http-client"),
        help: ArgumentHelp(
            "Measure the http suite also against this program, which Benchmarks/AsyncHTTPClient builds.",
            valueName: "path"
        )
    )
    var asyncHTTPClient: String?

    @Option(
        name: .customLong("entries"),
        help: ArgumentHelp(
            "Entries of the large cache of the disk suite.",
            discussion: "A million takes a few minutes to make and 600 MB in the folder for temporary files.",
            valueName: "count"
        )
    )
    var entryCount = 1_000_000

    @Option(
        help: ArgumentHelp(
            "Keep the large cache of the disk suite in this folder, and use it if it is there.",
            valueName: "path"
        )
    )
    var entriesFolder: String?

    @Option(
        help: ArgumentHelp(
            "Measure the pixels suite also against this libvips.so, such as that of the wheel pyvips-binary.",
            valueName: "path"
        )
    )
    var vipsLibrary: String?

    @Option(help: ArgumentHelp("The Python whose Pillow the pixels suite measures.", valueName: "program"))
    var python = "python3"

    @Option(
        help: ArgumentHelp(
            "A halcyon-bench built for debugging, for the thumbnails of debug builds in the pixels suite.",
            valueName: "path"
        )
    )
    var debugBuild: String?

    @Option(
        help: ArgumentHelp(
            "Take the inputs of the pixels suite from this image instead of a drawn one.",
            valueName: "path"
        )
    )
    var photo: String?

    @Option(
        help: ArgumentHelp(
            "The command that the commands suite measures. Default: that of this checkout's release build.",
            valueName: "path"
        )
    )
    var command: String?

    func validate() throws {
        guard samples > 0 else { throw ValidationError("--samples must be at least 1.") }
        guard transferCount > 0 else { throw ValidationError("--count must be at least 1.") }
        guard prefetchCount >= 100 else { throw ValidationError("--urls must be at least 100.") }
        guard entryCount >= 10_000 else { throw ValidationError("--entries must be at least 10000.") }
        let known = Self.suites.map { $0.name }
        for name in names where !known.contains(name) {
            throw ValidationError("There is no suite “\(name)”; there are \(known.joined(separator: ", ")).")
        }
    }

    func run() async throws {
        let interruptions = CleanUp.onTermination()
        defer { withExtendedLifetime(interruptions) {} }
        let options = SuiteOptions(
            transferCount: transferCount,
            prefetchCount: prefetchCount,
            asyncHTTPClient: asyncHTTPClient,
            entryCount: entryCount,
            entriesFolder: entriesFolder,
            vipsLibrary: vipsLibrary,
            python: python,
            debugBuild: debugBuild,
            photo: photo,
            command: command
        )
        let suites = Self.suites.filter { names.isEmpty || names.contains($0.name) }.map { $0.init(options) }
        if listsOnly {
            return suites.forEach { list($0) }
        }
        #if DEBUG
        StandardStream.error.writeLine("halcyon-bench: this is a debug build; its figures mean nothing.")
        #endif
        let reporter: any Reporter = writesJSON ? JSONReporter() : TableReporter()
        reporter.begin()
        var hasFailed = false
        for suite in suites {
            do {
                try await run(suite, reporter)
            } catch {
                hasFailed = true
                StandardStream.error.writeLine("halcyon-bench: \(type(of: suite).name): \(error)")
            }
        }
        if hasFailed { throw ExitCode.failure }
    }

    private func run(_ suite: some BenchmarkSuite, _ reporter: any Reporter) async throws {
        let cases = selected(suite.cases)
        guard !cases.isEmpty else { return }
        defer { suite.stop() }
        try suite.start()
        for work in cases {
            for var result in try await work.results(RunSettings(samples: samples)) {
                result.suite = type(of: suite).name
                try reporter.report(result)
            }
        }
    }

    private func list(_ suite: some BenchmarkSuite) {
        StandardStream.output.writeLine("\(type(of: suite).name): \(type(of: suite).summary)")
        for work in selected(suite.cases) {
            StandardStream.output.writeLine("  \(work.name)")
        }
    }

    private func selected(_ cases: [any BenchmarkCase]) -> [any BenchmarkCase] {
        cases.filter { work in filter.map { work.name.contains($0) } ?? true }
    }
}
