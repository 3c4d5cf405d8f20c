internal import ArgumentParser
internal import Halcyon

/// `halcyon convert`.
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

    @Argument(help: ArgumentHelp("The image: a path or a URL.", valueName: "IN"))
    var input: String

    @Argument(help: ArgumentHelp("The file to write.", valueName: "OUT"))
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
        guard let format = OutputFormat(path: output) else { return }
        do {
            let argument = SourceArgument(text: input)
            let pipeline = ImagePipeline()
            let image = try await pipeline.image(
                from: argument.source(),
                options: [.noCache, .frame(frame), .processor(resizing.processing)]
            )
            do {
                let data = try ImageCodecs.standard.encode(image.bitmap, as: format.format, options: encoding.options)
                try FileOutput.write(data, to: output, source: input)
            } catch let error as CodecError {
                throw ImageError(stage: .encode, reason: .codec(error), source: input)
            }
        } catch {
            Terminal.warn("\(error)")
            throw ExitCode(1)
        }
    }
}
