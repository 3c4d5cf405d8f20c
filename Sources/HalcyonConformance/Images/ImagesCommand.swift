internal import ArgumentParser
internal import FoundationEssentials
internal import Glibc

/// `HalcyonConformance images`
struct ImagesCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "images",
        abstract: "Read every image of a collection with a MANIFEST.tsv, and compare with what that states.",
        discussion: """
            Each file is read in a process of its own group, so that a crash, a hang or too much memory is a verdict like \
            any other. Conforms if nothing fails; what is known and excused, with its reason, is skipped and may be \
            2 % of the files at most.
            """
    )

    @Option(
        help: ArgumentHelp(
            "The folder of the collection. Default: HALCYON_CORPORA, else ../shared/corpora.",
            valueName: "directory"
        )
    )
    var corpora: String?

    @Option(help: ArgumentHelp("Processes at once. Default: one for each processor.", valueName: "count"))
    var jobs: Int?

    @Option(help: "Seconds after which a file that gives no answer has failed.")
    var timeout = 120.0

    @Option(help: ArgumentHelp("Only files whose path or format has this in it.", valueName: "text"))
    var filter: String?

    func validate() throws {
        guard jobs ?? 1 > 0, timeout > 0 else {
            throw ValidationError("There must be at least one process, and some time.")
        }
    }

    func run() throws {
        let folder = CorporaFolder(corpora)
        let manifest: ImageManifest
        do {
            manifest = try ImageManifest(folder: folder)
        } catch {
            throw MissingCorpus.exitCode(reporting: error)
        }
        let rows = manifest.rows.filter { row in
            filter.map { row.path.contains($0) || row.format == $0 } ?? true
        }
        // What a thread has freed itself, glibc hands out again without filling it.
        setenv("GLIBC_TUNABLES", "glibc.malloc.tcache_count=0", 0)
        let pool = CheckingPool(
            processCount: jobs ?? ProcessInfo.processInfo.activeProcessorCount,
            timeout: timeout
        ) {
            try ImageCheckCommand.launch(folder: folder, header: manifest.header)
        }
        var report = ImagesReport(folder: folder)
        try pool.run(rows.map(\.line)) { index, outcome in
            print(report.add(rows[index], outcome, timeout: timeout))
        }
        print()
        for line in report.totals { print(line) }
        if !report.conforms { throw ExitCode(1) }
    }
}
