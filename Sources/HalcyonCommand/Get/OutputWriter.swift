internal import FoundationEssentials
internal import Halcyon

/// Decides where results go and in which format, and writes them.
struct OutputWriter: Sendable {
    /// Whether ``output`` names a folder.
    private let isFolder: Bool
    private let output: String?
    /// The format of the results; `nil` if nothing is written.
    let format: EncodedImageFormat?
    /// The options that change the content of files, for ``FileOrigin``.
    private let options: [String]
    private let arguments: [SourceArgument]
    /// For each argument, whether it is the first of its name, or the same image as that one.
    private let isFirstOfName: [Bool]

    init(
        output: String?,
        format: OutputFormat?,
        resizing: ResizeArguments,
        encodeOptions: EncodeOptions,
        arguments: [SourceArgument]
    ) {
        self.output = output
        self.arguments = arguments
        let isFolder =
            output.map { $0.endsInSlash || FileOutput.isFolder($0) || Set(arguments).count > 1 } ?? false
        self.isFolder = isFolder
        var firsts: [String: String] = [:]
        isFirstOfName = arguments.map { argument in
            guard isFolder else { return true }
            let name = argument.fileName
            if let first = firsts[name] { return first == argument.identity }
            firsts[name] = argument.identity
            return true
        }
        // The requested format, else the one of the file's name, else the original's.
        let named = format ?? (isFolder ? nil : output.flatMap(OutputFormat.init(path:)))
        self.format = output.map { _ in
            var encoded =
                named.map { EncodedImageFormat.format($0.format, encodeOptions) } ?? .original(encodeOptions)
            encoded.keepsOriginal = resizing.resize == nil
            return encoded
        }
        var options: [String] = []
        if let size = resizing.resize?.size {
            options.append("resize=\(size.width)x\(size.height),\(resizing.mode.rawValue)")
        }
        if let named { options.append("format=\(named.format.rawValue)") }
        // Without those it is the original, byte for byte.
        if !options.isEmpty { options.append("quality=\(encodeOptions.quality.map(String.init) ?? "lossless")") }
        self.options = options
    }

    /// Makes the folder for the results.
    ///
    /// - Throws: ``ImageError`` of the stage ``ImageError/Stage/store``.
    func prepare() throws(ImageError) {
        if isFolder, let output { try FileOutput.makeFolder(output, source: "the results") }
    }

    /// Writes an image that was loaded: to the named file, which it replaces, or into the folder, where it replaces no
    /// file of another request.
    func write(_ image: EncodedImage, at index: Int) async throws -> GetResult.Loaded {
        var loaded = GetResult.Loaded(image)
        guard let output else { return loaded }
        let (path, time) = try await FileOutput.inBackground { [self, loaded] in
            let start = ContinuousClock.now
            let argument = arguments[index]
            let origin = FileOrigin(argument, options: options)
            guard isFolder else {
                try FileOutput.write(image.data, to: output, origin: origin, source: argument.text)
                return (output, ContinuousClock.now - start)
            }
            let file = FolderOutput(
                folder: output.endsInSlash ? output : output + "/",
                stem: argument.fileName,
                fileExtension: OutputFormat(loaded.format).fileExtension,
                origin: origin,
                mayBePlain: isFirstOfName[index],
                source: argument.text
            )
            return (try file.write(image.data), ContinuousClock.now - start)
        }
        loaded.output = path
        loaded.writeTime = time
        return loaded
    }
}
