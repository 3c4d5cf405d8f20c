internal import ArgumentParser
internal import Halcyon

/// The command `halcyon info`.
struct InfoCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "info",
        abstract: "Show information about images, read from their headers alone.",
        discussion: """
            Width and height are those stored; the display size has the orientation applied. No pixel is decoded.

            Examples:
              halcyon info *.jpg
              halcyon info https://example.org/animation.gif --json
              generate | halcyon info -
            """
    )

    @Argument(
        help: ArgumentHelp(
            "Images: http, https, file and data URLs, paths, or - for the standard input.",
            valueName: "FILE|URL"
        ),
        completion: .file()
    )
    var images: [String]

    @OptionGroup var cacheArguments: CacheArguments

    @Flag(name: .long, help: "Print one JSON object a line.")
    var json = false

    func run() async throws {
        let pipeline = UntrustedImages.pipeline(
            .init(cache: cacheArguments.cache(), defaultOptions: UntrustedImages.options)
        )
        var isSuccess = true
        for image in images {
            let argument = SourceArgument(text: image)
            let path = argument.shownText
            do {
                let info = try await info(of: argument, pipeline: pipeline)
                Terminal.print(json ? JSONLine.text(InfoRecord(path: path, info: info)) : describe(info, path: path))
            } catch {
                isSuccess = false
                if json, let error = error as? ImageError {
                    Terminal.print(JSONLine.text(InfoFailure(path: path, error: error)))
                } else {
                    Terminal.warn("\(error)")
                }
            }
        }
        if !isSuccess { throw ExitCode(1) }
    }

    private func info(of argument: SourceArgument, pipeline: ImagePipeline) async throws -> ImageInfo {
        let data = try await pipeline.data(for: ImageRequest(argument.sourceOrStandardInput()))
        do {
            return try UntrustedImages.codecs(for: argument.shownText).info(of: data)
        } catch {
            throw ImageError(stage: .decode, reason: .codec(error), source: argument.text)
        }
    }

    private func describe(_ info: ImageInfo, path: String) -> String {
        var parts = ["\(info.format.name)", "\(info.size)"]
        if info.orientation != .up {
            parts.append("shown as \(info.displaySize) (orientation \(info.orientation.rawValue))")
        }
        parts.append("\(info.bitDepth) bit")
        parts.append("\(info.colorSpace)")
        parts.append(info.hasAlpha ? "with alpha" : "opaque")
        let count = info.isFrameCountExact ? "\(info.frameCount)" : "at least \(info.frameCount)"
        if info.isAnimated {
            let seconds = Double(info.frameDurations.reduce(0, +)) / 1000
            let loop = info.loopCount.map { $0 == 0 ? "for ever" : $0 == 1 ? "once" : "\($0) times" } ?? "once"
            parts.append("\(count) frames in \(Format.decimal(seconds, places: 2)) s, \(loop)")
        } else if info.frameCount > 1 {
            parts.append("\(count) images")
        }
        return "\(path): \(parts.joined(separator: ", "))"
    }
}

/// The object that `info --json` prints.
struct InfoRecord: Encodable {
    private enum CodingKeys: String, CodingKey {
        case path, format, width, height, displayWidth, displayHeight, frames, framesAreExact, durations, loop
        case orientation, bitDepth, alpha, colorSpace
    }

    let path: String
    let format: String
    let width: Int
    let height: Int
    let displayWidth: Int
    let displayHeight: Int
    let frames: Int
    /// `false` where the file has at least so many frames.
    let framesAreExact: Bool
    let durations: [Int]
    let loop: Int?
    let orientation: Int
    let bitDepth: Int
    let alpha: Bool
    let colorSpace: String

    init(path: String, info: ImageInfo) {
        self.path = path
        format = info.format.rawValue
        width = info.size.width
        height = info.size.height
        displayWidth = info.displaySize.width
        displayHeight = info.displaySize.height
        frames = info.frameCount
        framesAreExact = info.isFrameCountExact
        durations = info.frameDurations
        loop = info.loopCount
        orientation = info.orientation.rawValue
        bitDepth = info.bitDepth
        alpha = info.hasAlpha
        colorSpace = info.colorSpace.description
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(path, forKey: .path)
        try container.encode(format, forKey: .format)
        try container.encode(width, forKey: .width)
        try container.encode(height, forKey: .height)
        try container.encode(displayWidth, forKey: .displayWidth)
        try container.encode(displayHeight, forKey: .displayHeight)
        try container.encode(frames, forKey: .frames)
        try container.encode(framesAreExact, forKey: .framesAreExact)
        try container.encode(durations, forKey: .durations)
        // Every field is always there: a still image has a null.
        try container.encode(loop, forKey: .loop)
        try container.encode(orientation, forKey: .orientation)
        try container.encode(bitDepth, forKey: .bitDepth)
        try container.encode(alpha, forKey: .alpha)
        try container.encode(colorSpace, forKey: .colorSpace)
    }
}

/// The object that `info --json` prints for an image that cannot be read.
private struct InfoFailure: Encodable {
    let path: String
    let error: GetResult.Record.Failure

    init(path: String, error: ImageError) {
        self.path = path
        self.error = .init(stage: error.stage.rawValue, reason: error.code, message: error.message)
    }
}
