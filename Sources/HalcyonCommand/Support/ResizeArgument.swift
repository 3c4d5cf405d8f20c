public import ArgumentParser
public import Halcyon

/// A size as "400x300".
struct SizeArgument: ExpressibleByArgument, Sendable, Hashable {
    let size: PixelSize

    init?(argument: String) {
        let parts = argument.lowercased().split(separator: "x", omittingEmptySubsequences: false)
        guard parts.count == 2, let width = Int(parts[0]), let height = Int(parts[1]),
            (1...65_535).contains(width), (1...65_535).contains(height)
        else { return nil }
        size = PixelSize(width, height)
    }
}

extension ResizeMode: ExpressibleByArgument {}

/// The options for the size of the result, which several commands have.
struct ResizeArguments: ParsableArguments {
    @Option(name: .long, help: ArgumentHelp("Resize images to this size in pixels, such as 400x300.", valueName: "WxH"))
    var resize: SizeArgument?

    @Option(
        name: .long,
        help: ArgumentHelp(
            "For images of another shape: fit inside the size, fill it and cut, or stretch.",
            valueName: "MODE"
        )
    )
    var mode: ResizeMode = .fit

    var processing: ImageProcessorChain {
        guard let resize else { return .identity }
        return .resize(to: resize.size, mode: mode)
    }
}

/// The options for the encoding of a result, which several commands have.
struct EncodingArguments: ParsableArguments {
    @Option(
        name: .long,
        help: ArgumentHelp("Quality of lossy formats, from 1 to 100. (default: 85)", valueName: "N")
    )
    var quality: Int?

    var options: EncodeOptions { EncodeOptions(quality: quality ?? 85) }

    func validate() throws {
        if let quality, !(1...100).contains(quality) {
            throw ValidationError("--quality must be between 1 and 100.")
        }
    }
}
