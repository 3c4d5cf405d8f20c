internal import ArgumentParser
internal import Halcyon
internal import HalcyonConcurrency

/// The command `halcyon get`.
struct GetCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "get",
        abstract: "Load images from memory, from the disk cache, or from their source.",
        discussion: """
            Without -o the images are only loaded into the cache. Without --resize and --format the output is the \
            original, byte for byte. An image that fails does not stop the others.

            -o FILE replaces a file of that name. In a folder, files are named as in their URLs, and none is replaced \
            but that of the same URL and options, whichever run wrote it: an image whose name is taken gets digits, \
            always the same ones, such as a-5c0f92d1.jpg. Each file carries its URL, without user, password and query, \
            in the extended attribute user.xdg.origin.url, and its request in user.halcyon.request; where a file \
            system has no such attributes, all names have digits.

            Examples:
              halcyon get https://example.org/a.jpg -o a.jpg
              halcyon get *.png --resize 400x400 --format jpeg -o thumbnails/
              halcyon get https://example.org/a.jpg --json --trace
            """
    )

    @Argument(help: ArgumentHelp("Images: http, https, file and data URLs, or paths.", valueName: "URL"))
    var urls: [String]

    @Option(
        name: .shortAndLong,
        help: ArgumentHelp(
            "Write to this file, or into this folder: one that exists, a name that ends in a slash, or any for several images.",
            valueName: "FILE|DIR"
        ),
        transform: FileOutput.path
    )
    var output: String?

    @OptionGroup var resizing: ResizeArguments

    @Option(name: .long, help: ArgumentHelp("Write this format: \(OutputFormat.names).", valueName: "FORMAT"))
    var format: String?

    @OptionGroup var encoding: EncodingArguments

    @Flag(exclusivity: .exclusive)
    var cacheUse: CacheUse?

    @OptionGroup var cacheArguments: CacheArguments

    @Option(name: .long, help: ArgumentHelp("Load this many images at a time, from 1 to 1024.", valueName: "N"))
    var concurrency = 8

    @Option(
        name: .long,
        help: ArgumentHelp("Load all images this many times, one round after the other.", valueName: "N")
    )
    var `repeat` = 1

    @Option(
        name: .long,
        help: ArgumentHelp("Draw all images on one contact sheet, such as sheet.png.", valueName: "FILE"),
        transform: FileOutput.path
    )
    var sheet: String?

    @Flag(name: .long, help: "Show the timeline of each load.")
    var trace = false

    @Flag(name: .long, help: "Show what the caches and shared work have saved.")
    var stats = false

    @Flag(name: .long, help: "Print one JSON object a line instead of a table.")
    var json = false

    func validate() throws {
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
    }

    func run() async throws {
        let run = GetRun(self)
        try await Interruption.guarding {
            guard await run.run() else { throw ExitCode(1) }
        }
    }
}

/// The ways in which `get` uses the caches.
enum CacheUse: String, EnumerableFlag {
    case refresh
    case cacheOnly
    case noCache

    static func help(for value: CacheUse) -> ArgumentHelp? {
        switch value {
        case .refresh: "Load anew, and store the result."
        case .cacheOnly: "Never use the network."
        case .noCache: "Neither read nor write the cache."
        }
    }

    /// The change to the options of a load.
    var option: ImageOption {
        switch self {
        case .refresh: .forceRefresh
        case .cacheOnly: .onlyFromCache
        case .noCache: .noCache
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

    /// The configuration of the disk cache, with its folder.
    var configuration: DiskCache.Configuration {
        var configuration =
            cacheDir.map { DiskCache.Configuration(folder: FileOutput.absolutePath($0)) } ?? .init(name: "default")
        // Each URL is looked up once.
        configuration.indexMemoryLimit = 1 << 20
        return configuration
    }
}
