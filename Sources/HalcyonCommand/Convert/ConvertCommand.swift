internal import ArgumentParser
internal import Halcyon
internal import HalcyonSystem

/// The command `halcyon convert`.
struct ConvertCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "convert",
        abstract: "Convert images; the format comes from the output's name, or from --format.",
        discussion: """
            OUT is a file, - for the standard output, or a folder for several images: one that exists, or a name that ends \
            in a slash. Of a folder, all images in it and below are converted, into folders of the same names in another one. \
            In a folder, files are named and kept as those of “halcyon get”: no file of another image is replaced, and an \
            image that is as it was when its file was written is left out.

            An image in the format already is written as it came, unless something is to be changed of it: --resize, \
            --process, --frame, or where its format has that choice --quality, --effort or --progressive.

            Animations stay animated in formats that can (GIF, PNG, WebP, AVIF, JPEG XL); a format without an encoder is an \
            error.

            Examples:
              halcyon convert photo.png photo.jpg --quality 90
              halcyon convert animation.gif frame3.png --frame 3
              halcyon convert photo.jpg pixels.pam
              halcyon convert photos/ small/ --format webp --resize 1600
              curl -s https://example.org/a.png | halcyon convert - a.jpg
            """
    )

    @Argument(
        help: ArgumentHelp(
            "Images: paths, URLs, folders, or - for the standard input; then what to write.",
            valueName: "IN… OUT"
        ),
        completion: .file(),
        transform: { $0 }
    )
    var paths: [String]

    @Option(
        name: .long,
        help: ArgumentHelp("Take this frame of an animation, from 0, instead of all.", valueName: "N")
    )
    var frame: Int?

    @Option(
        name: .long,
        help: ArgumentHelp(
            "Write this format, whatever the output's name: \(OutputFormat.names).",
            valueName: "FORMAT"
        ),
        completion: .list(OutputFormat.allNames)
    )
    var format: String?

    @OptionGroup var resizing: ResizeArguments

    @OptionGroup var encoding: EncodingArguments

    @Flag(name: .long, help: "Convert also the images whose files are there.")
    var overwrite = false

    @Option(
        name: .long,
        help: ArgumentHelp(
            "Convert this many images at a time, from 1 to 1024, and no more than the system lets files be open for.",
            valueName: "N"
        )
    )
    var concurrency = 8

    @Flag(name: .long, help: "Print a JSON object a line as each image ends.")
    var json = false

    private var output: String { paths.last ?? "" }
    private var inputs: ArraySlice<String> { paths.dropLast() }

    /// Whether several images, or all of a folder, are written into a folder.
    private var isBulk: Bool {
        inputs.count > 1 || output.endsInSlash || FileOutput.isFolder(output)
            || inputs.contains { FileOutput.isFolder($0) }
    }

    func validate() throws {
        guard paths.count >= 2 else { throw ValidationError("Name an image, and the file to write.") }
        _ = try FileOutput.path(output)
        if let frame, frame < 0 { throw ValidationError("--frame counts from 0.") }
        guard (1...1024).contains(concurrency) else {
            throw ValidationError("--concurrency must be between 1 and 1024.")
        }
        if let format, OutputFormat(name: format) == nil {
            throw ValidationError("“\(format)” is no format that can be written; use \(OutputFormat.names).")
        }
        guard inputs.count(where: { !SourceArgument(text: $0).isLasting }) < 2 else {
            throw ValidationError("The standard input can be read only once.")
        }
        guard !json || !FileOutput.isStandardOutput(output) else {
            throw ValidationError("The standard output has the image; leave out --json.")
        }
        if isBulk {
            guard output != "-" else { throw ValidationError("The standard output takes one image.") }
            guard format != nil || resizing.isNamed || frame != nil || encoding.isAnyNamed else {
                throw ValidationError(
                    "A folder's name says no format; name one with --format (\(OutputFormat.names)), or what else is to be done."
                )
            }
        } else if format == nil {
            guard output != "-" else { throw ValidationError("The standard output needs --format.") }
            guard OutputFormat(path: output) != nil else {
                throw ValidationError(
                    "The name “\(output)” does not say a format that can be written; use \(OutputFormat.names)."
                )
            }
        }
    }

    func run() async throws {
        var plan = RunPlan(
            encoding: encoding,
            cache: try CacheArguments.parse([]),
            concurrency: concurrency,
            network: try NetworkArguments.parse([])
        )
        plan.format = format.map(OutputFormat.init(name:)) ?? (isBulk ? nil : OutputFormat(path: output))
        plan.variants = resizing.variants(sizes: nil, frame: frame)
        plan.cacheUse = .noCache
        plan.json = json
        if isBulk {
            let folder = output.endsInSlash ? output : output + "/"
            plan.target = .folder(folder)
            plan.overwrites = overwrite
            plan.namesSayFormats = false
            plan.items = try FolderInput.items(Array(inputs), without: folder)
        } else {
            plan.target = FileOutput.isStandardOutput(output) ? .standardOutput : .file(output)
            // One that is named is written, as by any converter.
            plan.overwrites = true
            plan.isQuiet = !json
            plan.items = inputs.map { ListItem(index: 0, argument: SourceArgument(text: $0)) }
        }
        let run = try GetRun(plan)
        try await Interruption.guarding {
            guard await run.run() else { throw ExitCode(1) }
        }
    }
}
