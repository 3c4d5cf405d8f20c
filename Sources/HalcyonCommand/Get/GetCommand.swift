internal import ArgumentParser
internal import Halcyon
internal import HalcyonSystem

/// The command `halcyon get`.
struct GetCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "get",
        abstract: "Load images from memory, from the disk cache, or from their source.",
        discussion: """
            Without -o the images are only loaded into the cache. Without --resize, --sizes, --process, --format, --quality, \
            --effort and --progressive the output is the original, byte for byte: its header says whether it is an image, \
            and of which size, and its pixels are decoded only where its end is missing. The last three change none whose \
            format has no such choice. A name that says another format than the original's (of -o FILE, of --name, or in a \
            list) makes an image of that format, and the run says so. An image that fails does not stop the others.

            The same command a second time is a continuation: an image whose file is there, with the bytes that were \
            written for the same URL and options, is skipped without the network. Other options are another request, and \
            so are other header fields and another file of cookies. Users, passwords and tokens are told apart by a key in \
            $XDG_STATE_HOME/halcyon (~/.local/state/halcyon); where none can be kept, their images are written anew by each run. \
            --refresh asks the servers what has changed, and writes those files; --overwrite writes all anew. An image that \
            was cut short is asked of its server again. After Ctrl-C, and after any \
            other end, repeat the command.

            -o FILE replaces a file of that name, unless it is there for the same request. In a folder, files are named as \
            in their URLs, and none is replaced but that of the same URL and options, whichever run wrote it: an image \
            whose name is taken gets digits, always the same ones, such as a-5c0f92d1.jpg. Each file carries its URL, \
            without user, password and query, in the extended attribute user.xdg.origin.url, and its request in \
            user.halcyon.request; where a file system has no such attributes, all names have digits. In a folder that was copied \
            without them, a file that has the very bytes of the image is kept, and none is written beside it.

            A list (--from) has a URL or a path a line; blank lines and lines that begin with # are left out. Behind a tab \
            comes the name of the file. Lines may also be JSON objects with "url" and "name". It is read as it is needed, \
            so it may have millions of lines, or come from a program that is still running.

            What is done is said as it is done: with --json a line as each image ends, with its index in the list, \
            otherwise a line an image where the output is no terminal, or a table where all images fit on a screen. A \
            terminal shows the progress, and keeps failures and a summary. --report writes JSON lines of everything to a \
            file as it happens; --resume reads such a file, leaves out what it has as done, and adds to it.

            A host that fails ten times in a row is left for last. One that answers with Retry-After is asked for nothing \
            for so long, up to 10 minutes; one that wants more time is given up, and the error says how much.

            Examples:
              halcyon get https://example.org/a.jpg -o a.jpg
              halcyon get *.png --resize 400 --format jpeg -o thumbnails/
              halcyon get --from urls.txt --resize 400 -o thumbnails/ --resume report.jsonl
              halcyon get https://example.org/a.jpg -o - | display -
              halcyon get https://example.org/a.jpg --json --trace
            """
    )

    @Argument(
        help: ArgumentHelp(
            "Images: http, https, file and data URLs, paths, or - for the standard input.",
            valueName: "URL"
        ),
        completion: .file()
    )
    var urls: [String] = []

    @Option(
        name: .long,
        help: ArgumentHelp("Load the images of this list, - for the standard input.", valueName: "FILE|-"),
        completion: .file(),
        transform: FileOutput.path
    )
    var from: String?

    @Option(
        name: .shortAndLong,
        help: ArgumentHelp(
            "Write to this file, to the standard output (-), or into this folder: one that exists, a name that ends in a slash, or any for several images.",
            valueName: "FILE|DIR|-"
        ),
        completion: .file(),
        transform: FileOutput.path
    )
    var output: String?

    @Option(
        name: .long,
        help: ArgumentHelp(
            "Name files so, in the folder, such as '{host}/{stem}-{width}.{ext}': \(NameTemplate.Field.names).",
            valueName: "TEMPLATE"
        )
    )
    var name: String?

    @OptionGroup(title: "Images") var resizing: ResizeArguments

    @Option(
        name: .long,
        help: ArgumentHelp("Write each image in these widths and heights, such as 200,400,800.", valueName: "N,N,…"),
        transform: SizeListArgument.init
    )
    var sizes: SizeListArgument?

    @Option(
        name: .long,
        help: ArgumentHelp("Write this format: \(OutputFormat.names).", valueName: "FORMAT"),
        completion: .list(OutputFormat.allNames)
    )
    var format: String?

    @OptionGroup(title: "Images") var encoding: EncodingArguments

    @Flag(exclusivity: .exclusive)
    var cacheUse: CacheUse?

    @Flag(name: .long, help: "Load and write also the images whose files are there.")
    var overwrite = false

    @OptionGroup var cacheArguments: CacheArguments

    @Option(
        name: .long,
        help: ArgumentHelp(
            "Load this many images at a time, from 1 to 1024, and no more than the system lets files be open for.",
            valueName: "N"
        )
    )
    var concurrency = 8

    @OptionGroup(title: "Network") var network: NetworkArguments

    @Option(
        name: .long,
        help: ArgumentHelp(
            "Write a report to this file, a line of JSON for each file; only an earlier report is replaced. A pipe takes it while a program reads.",
            valueName: "FILE"
        ),
        completion: .file(),
        transform: FileOutput.path
    )
    var report: String?

    @Option(
        name: .long,
        help: ArgumentHelp(
            "Leave out what this report has as done, with -o only if its file is in that place and as long as it was, and if a local image is unchanged, try again what failed or was cut short, and add to it. Without images, load those again. With --sheet, all images are loaded or read, since it shows them.",
            valueName: "FILE"
        ),
        completion: .file(),
        transform: FileOutput.path
    )
    var resume: String?

    @Option(
        name: .long,
        help: ArgumentHelp("Load all images this many times, one round after the other.", valueName: "N")
    )
    var `repeat` = 1

    @Option(
        name: .long,
        help: ArgumentHelp("Draw all images on one contact sheet, such as sheet.png.", valueName: "FILE"),
        completion: .file(),
        transform: FileOutput.path
    )
    var sheet: String?

    @Flag(name: .long, help: "Show the timeline of each load, and a line for each attempt.")
    var trace = false

    @Flag(name: .long, help: "Show what the caches and shared work have saved.")
    var stats = false

    @Flag(name: .long, help: "Print a JSON object a line as each image ends.")
    var json = false

    func validate() throws {
        guard !urls.isEmpty || from != nil || resume != nil else {
            throw ValidationError("Name an image, or a list of images with --from.")
        }
        guard urls.isEmpty || from == nil else {
            throw ValidationError("--from takes the place of images on the command line.")
        }
        guard urls.count(where: { !SourceArgument(text: $0).isLasting }) < 2 else {
            throw ValidationError("The standard input can be read only once.")
        }
        guard (1...1024).contains(concurrency) else {
            throw ValidationError("--concurrency must be between 1 and 1024.")
        }
        guard (1...1_000_000).contains(self.repeat) else {
            throw ValidationError("--repeat must be between 1 and 1,000,000.")
        }
        if let format, OutputFormat(name: format) == nil {
            throw ValidationError("“\(format)” is no format that can be written; use \(OutputFormat.names).")
        }
        guard output != "" else {
            throw ValidationError("--output names no file and no folder.")
        }
        if let sheet, OutputFormat(path: sheet) == nil {
            throw ValidationError("“\(sheet)” must end in .png, or in another format that can be written.")
        }
        guard report == nil || resume == nil else {
            throw ValidationError("--resume continues a report, --report begins one; use one of them.")
        }
        guard sheet == nil || resume == nil || !urls.isEmpty || from != nil else {
            throw ValidationError("--sheet draws all images, and the report alone names those that are left; name all.")
        }
        try validateReport()
        guard sizes == nil || resizing.resize == nil else { throw ValidationError("Use --resize or --sizes.") }
        try validateOutput()
    }

    /// Refuses a report that would be written into a list, an image or a result.
    private func validateReport() throws {
        let others =
            [from, sheet, output].compactMap(\.self).filter { $0 != "-" }
            + urls.compactMap { SourceArgument(text: $0).path }.filter { $0 != SourceArgument.standardInput }
        let report = report ?? resume
        guard report != "-" else {
            throw ValidationError(
                "A report is a file; for one of that name write ./-, and --json for lines of results."
            )
        }
        func check(_ path: String?, _ name: String, _ others: [String]) throws {
            guard let path, let other = others.first(where: { FileOutput.leadToOneFile(path, $0) }) else { return }
            throw ValidationError("The \(name) needs a file of its own, and “\(other)” is another one of this run.")
        }
        try check(report, "report", others)
        try check(network.cookies, "jar of cookies", others + [report].compactMap(\.self))
    }

    private func validateOutput() throws {
        if let name {
            guard let output, output != "-" else { throw ValidationError("--name needs a folder: -o DIR.") }
            do throws(NameTemplate.Problem) {
                let template = try NameTemplate(name)
                if let named = template.fileExtension, OutputFormat(name: named) == nil {
                    throw NameTemplate.Problem(description: "no “\(named)” can be written; use \(OutputFormat.names)")
                }
            } catch {
                throw ValidationError("--name “\(name)”: \(error).")
            }
        }
        if sizes != nil {
            guard let output, output != "-" else { throw ValidationError("--sizes needs a folder: -o DIR.") }
        }
        if let output, FileOutput.isStandardOutput(output) {
            guard urls.count == 1, self.repeat == 1 else {
                throw ValidationError("The standard output takes one image.")
            }
            guard !json, !trace, !stats else {
                throw ValidationError(
                    "The standard output has the image; --json, --trace and --stats have no place there."
                )
            }
        }
    }

    func run() async throws {
        let run = try GetRun(plan)
        try await Interruption.guarding {
            guard await run.run() else { throw ExitCode(1) }
        }
    }
}

extension GetCommand {
    private var plan: RunPlan {
        var plan = RunPlan(encoding: encoding, cache: cacheArguments, concurrency: concurrency, network: network)
        plan.items = urls.enumerated().map { ListItem(index: $0, argument: SourceArgument(text: $1)) }
        plan.list = from
        plan.variants = resizing.variants(sizes: sizes)
        plan.format = format.flatMap(OutputFormat.init(name:))
        plan.template = name.flatMap { try? NameTemplate($0) }
        plan.target = target(plan)
        // What the sheet could not show is not written.
        plan.checksPixels = sheet != nil
        plan.cacheUse = cacheUse
        plan.overwrites = overwrite
        plan.report = report
        plan.resume = resume
        plan.rounds = self.repeat
        plan.sheet = sheet
        plan.trace = trace
        plan.stats = stats
        plan.json = json
        return plan
    }

    private func target(_ plan: RunPlan) -> OutputWriter.Target {
        guard let output else { return .nowhere }
        if FileOutput.isStandardOutput(output) { return .standardOutput }
        let isSeveral = urls.isEmpty || name != nil || sizes != nil || Set(plan.items.map(\.argument)).count > 1
        guard isSeveral || output.endsInSlash || FileOutput.isFolder(output) else { return .file(output) }
        return .folder(output.endsInSlash ? output : output + "/")
    }
}

extension NameTemplate.Field {
    /// All fields as they are written.
    static var names: String { allCases.map { "{\($0.rawValue)}" }.joined(separator: ", ") }
}

/// Several sizes, as "200,400,800".
struct SizeListArgument: Sendable {
    let sizes: [Int]

    @Sendable init(_ text: String) throws {
        let parts = text.split(separator: ",", omittingEmptySubsequences: false)
        let sizes = parts.compactMap { Int($0) }.filter { (1...65_535).contains($0) }
        guard sizes.count == parts.count, Set(sizes).count == sizes.count else {
            throw ValidationError("“\(text)” is no list of different sizes such as 200,400,800.")
        }
        self.sizes = sizes
    }
}

/// The ways in which `get` uses the caches.
enum CacheUse: String, EnumerableFlag {
    case refresh
    case cacheOnly
    case noCache

    static func help(for value: CacheUse) -> ArgumentHelp? {
        switch value {
        case .refresh: "Ask the servers whether images have changed, and load and write those that have."
        case .cacheOnly: "Never use the network."
        case .noCache:
            "Neither read nor write the cache; only what came of a broken transfer is kept there, for the next attempt."
        }
    }

    /// The changes to the options of a load.
    var options: [ImageOption] {
        switch self {
        // An image that could not be asked for is not as it is now.
        case .refresh: [.revalidate, .staleIfError(.never)]
        case .cacheOnly: [.onlyFromCache]
        case .noCache: [.noCache]
        }
    }
}

/// The option for the cache's folder, which several commands have.
struct CacheArguments: ParsableArguments {
    @Option(
        name: .long,
        help: ArgumentHelp(
            "Keep the disk cache in this folder. (default: $XDG_CACHE_HOME/halcyon/default)",
            valueName: "DIR"
        ),
        completion: .directory,
        transform: FileOutput.path
    )
    var cacheDir: String?

    /// The most bytes of images in memory: only images that are named twice, or loaded in several rounds, are requested
    /// again.
    private static let memoryCostLimit = 16 << 20

    func cache() -> ImageCache {
        // Reading and storing fail for the same reason; one line is enough.
        let isReported = Lock(false)
        return ImageCache(disk: configuration, memoryCostLimit: Self.memoryCostLimit) { error in
            let isFirst = isReported.withLock { reported in
                defer { reported = true }
                return !reported
            }
            if isFirst { Terminal.warn("\(error.message); going on without it") }
        }
    }

    /// The folder of interrupted bodies, beside the default cache or within another one's folder.
    var partialFolder: String {
        cacheDir.map { FilePath.absoluteForSystem($0) + "/partial" } ?? PartialBodyStore.Configuration.defaultFolder
    }

    /// The configuration of the disk cache, with its folder.
    var configuration: DiskCache.Configuration { configuration(named: "default") }

    /// Returns the configuration of the disk cache, whose folder has a name unless one is given.
    func configuration(named name: String) -> DiskCache.Configuration {
        var configuration =
            cacheDir.map { DiskCache.Configuration(folder: FilePath.absoluteForSystem($0)) } ?? .init(name: name)
        // Each URL is looked up once.
        configuration.indexMemoryLimit = 1 << 20
        return configuration
    }
}
