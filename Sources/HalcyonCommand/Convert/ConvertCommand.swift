internal import ArgumentParser
internal import FoundationEssentials
internal import Halcyon

/// The command `halcyon convert`.
struct ConvertCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "convert",
        abstract: "Convert an image; the format comes from the output's name.",
        discussion: """
            Examples:
              halcyon convert photo.png photo.jpg --quality 90
              halcyon convert animation.gif frame3.png --frame 3
              halcyon convert photo.jpg pixels.pam
            """
    )

    @Argument(help: ArgumentHelp("The image: a path, a URL, or - for the standard input.", valueName: "IN"))
    var input: String

    @Argument(help: ArgumentHelp("The file to write.", valueName: "OUT"), transform: FileOutput.path)
    var output: String

    @Option(name: .long, help: ArgumentHelp("Take this frame of an animation, from 0.", valueName: "N"))
    var frame = 0

    @OptionGroup var resizing: ResizeArguments

    @OptionGroup var encoding: EncodingArguments

    func validate() throws {
        guard frame >= 0 else { throw ValidationError("--frame counts from 0.") }
        guard OutputFormat(path: output) != nil else {
            throw ValidationError(
                "The name “\(output)” does not say a format that can be written; use \(OutputFormat.names)."
            )
        }
    }

    func run() async throws {
        guard let format = OutputFormat(path: output)?.format else { return }
        let conversion = Conversion(
            input: SourceArgument(text: input),
            output: output,
            options: [.noCache, .frame(frame), .processor(resizing.processing)],
            format: format,
            encodeOptions: encoding.options
        )
        try await Interruption.guarding {
            do {
                try await conversion.run()
            } catch let error as ImageError {
                Terminal.warn("\(error)")
                throw ExitCode(1)
            }
        }
    }
}

/// One run of `halcyon convert`.
private struct Conversion: Sendable {
    let input: SourceArgument
    let output: String
    let options: ImageOptions
    let format: ImageFormat
    let encodeOptions: EncodeOptions

    func run() async throws {
        let pipeline = ImagePipeline()
        let image = try await pipeline.image(from: ImageRequest(input.sourceOrStandardInput(), options: options))
        if image.isPartial { Terminal.warn(Terminal.partialImage(input.shownText)) }
        let data: Data
        do {
            data = try await pipeline.withPixels(of: image) { [format, encodeOptions] bitmap in
                try ImageCodecs.standard.encode(bitmap, as: format, options: encodeOptions)
            }
        } catch let error as CodecError {
            throw ImageError(stage: .encode, reason: .codec(error), source: input.text)
        }
        try await FileOutput.writeInBackground(data, to: output, source: input.text)
    }
}
