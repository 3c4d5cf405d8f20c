internal import ArgumentParser
internal import FoundationEssentials
internal import Glibc
internal import Halcyon
internal import HalcyonFleet
internal import HalcyonSystem

/// The command `halcyon prefetch`.
struct PrefetchCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "prefetch",
        abstract: "Load images into the caches of many machines, which share a queue.",
        discussion: """
            The images are added to a queue on Redis or Valkey, which must not evict (maxmemory-policy noeviction). This \
            machine and all others that run the command with the same queue load them, each once, until there are none left. \
            A machine may be stopped, or lost: others do what it had begun. Run the command again to go on. Images that were \
            done within the hour are not added again.

            The display counts what all machines have done. Without --shared, and for images of more than 1 MiB, a result is on \
            the disk of the machine that did it alone, and is counted as such. With --shared, the disk cache is another one, unless \
            --cache-dir names it ($XDG_CACHE_HOME/halcyon/shared): removals by other machines are made in it, the first time by \
            removing all that it has.

            Users of the machine see the arguments of a command, so addresses with a password belong in the environment: \
            HALCYON_QUEUE and HALCYON_SHARED are read where the options are missing. HALCYON_FLEET_SECRET has the secret of the \
            shared tier, at least 16 bytes, the same on all machines.

            On one machine alone, use halcyon get without -o.

            Examples:
              halcyon prefetch --queue redis://queue.example --from urls.txt
              halcyon prefetch --queue redis://queue.example --stay
            """
    )

    @Argument(help: ArgumentHelp("Images: http and https URLs.", valueName: "URL"))
    var urls: [String] = []

    @Option(
        name: .long,
        help: ArgumentHelp("Add the images of this list, - for the standard input.", valueName: "FILE|-"),
        transform: FileOutput.path
    )
    var from: String?

    @Option(
        name: .long,
        help: ArgumentHelp(
            "The engine of the queue: redis://user:password@host:6379/0, several hosts of a cluster, or ?sentinel=NAME.",
            valueName: "URL"
        )
    )
    var queue: String?

    @Option(name: .long, help: ArgumentHelp("The name of the queue on the engine.", valueName: "NAME"))
    var name = "prefetch"

    @Option(
        name: .long,
        help: ArgumentHelp("Store results in the shared tier on this engine, too.", valueName: "URL")
    )
    var shared: String?

    @Option(name: .long, help: ArgumentHelp("Load this many images at a time, from 1 to 1024.", valueName: "N"))
    var concurrency = 8

    @Flag(name: .long, help: "Add the images, and load none.")
    var addOnly = false

    @Flag(name: .long, help: "Wait for more images when there are none left.")
    var stay = false

    @OptionGroup var cacheArguments: CacheArguments

    @OptionGroup(title: "Network") var network: NetworkArguments

    @Flag(name: .long, help: "Print the counts as JSON objects, one a line.")
    var json = false

    func validate() throws {
        guard queueURL != nil else {
            throw ValidationError("Name the engine of the queue with --queue, or in HALCYON_QUEUE.")
        }
        guard urls.isEmpty || from == nil else {
            throw ValidationError("--from takes the place of images on the command line.")
        }
        guard (1...1024).contains(concurrency) else {
            throw ValidationError("--concurrency must be between 1 and 1024.")
        }
        guard !name.isEmpty else { throw ValidationError("--name must not be empty.") }
        guard !addOnly || !stay else { throw ValidationError("--add-only loads no images, and cannot wait for more.") }
        for url in [queueURL, sharedURL].compactMap(\.self) {
            do throws(FleetError) {
                _ = try FleetEngine.Configuration(url)
            } catch {
                throw ValidationError("\(error).")
            }
        }
        if sharedURL != nil, secret == nil {
            throw ValidationError("--shared needs HALCYON_FLEET_SECRET in the environment, with at least 16 bytes.")
        }
    }

    private static func variable(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }

    private var queueURL: String? { queue ?? Self.variable("HALCYON_QUEUE") }
    private var sharedURL: String? { shared ?? Self.variable("HALCYON_SHARED") }
    private var secret: FleetSecret? { Self.variable("HALCYON_FLEET_SECRET").flatMap { FleetSecret($0.utf8) } }

    func run() async throws {
        guard let queueURL else { return }
        let queue = PrefetchQueue(try FleetEngine(queueURL), name: name)
        let (pipeline, shared) = try pipeline()
        let run = PrefetchRun(
            queue: queue,
            pipeline: pipeline,
            items: urls.enumerated().map { ListItem(index: $0, argument: SourceArgument(text: $1)) },
            list: from.map(ListReader.init),
            concurrency: concurrency,
            shared: shared,
            stays: stay,
            printsJSON: json
        )
        let addsOnly = addOnly
        try await Interruption.guarding {
            do {
                guard try await run.run(addsOnly: addsOnly) else { throw ExitCode(1) }
            } catch let error as FleetError {
                Terminal.warn("\(error)")
                throw ExitCode(1)
            }
        }
    }

    /// What others add to a queue is decoded in confined processes or not at all.
    private static let isolation = DecodeIsolation.required([.process, .systemCalls])

    /// The pipeline of this machine, and its shared tier. A queue's jobs are those of whoever may add to it, so that no files are read.
    private func pipeline() throws -> (ImagePipeline, SharedTier?) {
        var tiers: [any CacheTier] = []
        var shared: SharedTier?
        if let sharedURL, let secret {
            var configuration = SharedTier.Configuration()
            // What is prefetched is wanted.
            configuration.storesFirst = true
            let tier = SharedTier(try FleetEngine(sharedURL), secret: secret, configuration: configuration)
            secret.useForCredentials()
            tiers = [tier]
            shared = tier
        }
        let disk = cacheArguments.configuration(named: shared == nil ? "default" : "shared")
        let cache = ImageCache(disk: disk, memoryCostLimit: 0, tiers: tiers) { error in
            Terminal.warn("\(error.message); going on without it")
        }
        // What only adds to the queue leaves the disk alone.
        if !addOnly { shared?.follow(cache) }
        let transport = try network.transport(concurrency: concurrency)
        let failures = HostFailures()
        var configuration = ImagePipeline.Configuration(
            downloader: network.downloader(over: transport, partialFolder: cacheArguments.partialFolder, failures),
            cache: cache,
            defaultOptions: network.options(failures) + [.isolation(Self.isolation)]
        )
        configuration.allowedSources = .web
        return (ImagePipeline(configuration: configuration), shared)
    }
}
