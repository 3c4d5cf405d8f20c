internal import ArgumentParser
internal import Halcyon

/// The command `halcyon show`.
struct ShowCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Show images in the terminal.",
        discussion: """
            The terminal is asked what it shows: images of kitty's protocol, sixel images, or else half blocks, which every \
            terminal with colours has, also within tmux and screen. One image is shown as large as it is, within the \
            window; an animation plays as often as its file says, or until Ctrl-C. Several images are shown in a grid, \
            with their names, and stand still.

            Examples:
              halcyon show photo.jpg
              halcyon show https://example.org/animation.gif
              halcyon show *.jpg
              halcyon show photo.jpg --protocol sixel >photo.six
            """
    )

    @Argument(
        help: ArgumentHelp(
            "Images: http, https, file and data URLs, paths, or - for the standard input.",
            valueName: "URL|FILE"
        ),
        completion: .file()
    )
    var images: [String]

    @Option(
        name: .long,
        help: ArgumentHelp(
            "Use this protocol: kitty, sixel or blocks. (default: the best of the terminal)",
            valueName: "P"
        )
    )
    var `protocol`: GraphicsProtocol?

    @Option(
        name: .long,
        help: ArgumentHelp("Use at most this many columns. (default: those of the terminal)", valueName: "N")
    )
    var columns: Int?

    @Flag(name: .long, help: "Show the first frame of an animation alone.")
    var still = false

    @OptionGroup var cacheArguments: CacheArguments

    func validate() throws {
        if let columns, !(1...1_000).contains(columns) {
            throw ValidationError("--columns must be between 1 and 1000.")
        }
    }

    func run() async throws {
        let arguments = images.map(SourceArgument.init(text:))
        let (cache, wanted, columns, still) = (cacheArguments.cache(), self.protocol, self.columns, still)
        try await Interruption.guarding {
            guard wanted != nil || !Terminal.showsResults || TerminalProbe.hasSequences else {
                throw ValidationError("This terminal shows no images (TERM is not set, or dumb); see --protocol.")
            }
            var display = TerminalProbe.display(wanted: wanted)
            if let columns { display.columns = display.isTerminal ? min(columns, display.columns) : columns }
            let pipeline = UntrustedImages.pipeline(.init(cache: cache, defaultOptions: UntrustedImages.options))
            let show = ImageShow(pipeline: pipeline, display: display)
            let isSuccess =
                arguments.count == 1
                ? await show.showOne(arguments[0], plays: !still) : await show.showGrid(of: arguments)
            await pipeline.cache.flush()
            try Task.checkCancellation()
            if !isSuccess { throw ExitCode(1) }
        }
    }
}
