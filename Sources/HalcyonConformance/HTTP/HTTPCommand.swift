internal import ArgumentParser

/// The command `HalcyonConformance http`.
struct HTTPCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "http",
        abstract: "Run the HTTP cache tests (cache-tests.fyi) as a private cache, under a clock of their own.",
        discussion: """
            Conforms if every applicable test of the kind "must" passes, and at least as many of the kind "should" as the \
            best of the browsers listed passes. What counts as "info" is listed and decides nothing; a test that does not \
            apply to a private cache, or is about what the library leaves out, is skipped with its reason.
            """
    )

    @Option(
        help: ArgumentHelp(
            "The folder of the collections. Default: HALCYON_CORPORA, else ../shared/corpora.",
            valueName: "directory"
        )
    )
    var corpora: String?

    func run() async throws {
        let report: CacheTestReport
        do {
            report = try await CacheTestReport(folder: CorporaFolder(corpora))
        } catch let error as MissingCorpus {
            throw MissingCorpus.exitCode(reporting: error)
        }
        for line in report.lines { print(line) }
        if !report.conforms { throw ExitCode(1) }
    }
}
