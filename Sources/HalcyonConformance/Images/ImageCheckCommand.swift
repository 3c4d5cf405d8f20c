internal import ArgumentParser
internal import Glibc

/// The process behind `images`: reads lines of a list from its standard input, and answers each with a verdict.
struct ImageCheckCommand: ParsableCommand {
    private static let name = "check-images"
    static let configuration = CommandConfiguration(
        commandName: name,
        abstract: "Check the lines of a MANIFEST.tsv, the first of which names the columns.",
        shouldDisplay: false
    )

    /// The address space of the process, beyond which it gets no memory: what all limits together may reach, and the
    /// stacks and libraries.
    private static let addressSpace: rlim_t = 6 << 30

    @Option
    var corpora: String

    /// Starts this program as such a process.
    static func launch(folder: CorporaFolder, header: String) throws -> CheckingProcess {
        // A stack trace takes seconds, and the reason of a crash stands in its first line.
        setenv("SWIFT_BACKTRACE", "enable=no", 0)
        let process = try CheckingProcess(["/proc/self/exe", name, "--corpora", folder.path])
        process.send(header)
        return process
    }

    func run() {
        limitMemory()
        let folder = CorporaFolder(corpora)
        let columns = ImageManifest.columns(readLine() ?? "")
        while let line = readLine() {
            let verdict = ImageCheck(ImageManifestRow(line: line, columns: columns), folder: folder).verdict()
            var answer = verdict.description + "\n"
            answer.withUTF8 { _ = write(CheckingProcess.answerDescriptor, $0.baseAddress, $0.count) }
        }
    }

    private func limitMemory() {
        // AddressSanitizer reserves terabytes.
        guard dlsym(nil, "__asan_init") == nil else { return }
        var limit = rlimit(rlim_cur: Self.addressSpace, rlim_max: Self.addressSpace)
        setrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &limit)
        var core = rlimit(rlim_cur: 0, rlim_max: 0)
        setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &core)
    }
}
