internal import FoundationEssentials
internal import Halcyon

/// Decides where results go and in which format, and writes them.
struct OutputWriter: Sendable {
    /// The pipeline whose workers encode.
    private let pipeline: ImagePipeline
    private let isFolder: Bool
    private let output: String?
    private let format: OutputFormat?
    private let keepsOriginal: Bool
    private let encodeOptions: EncodeOptions
    private let arguments: [SourceArgument]
    /// A name without extension for each argument; equal arguments share one.
    private let names: [String]

    init(
        output: String?,
        format: OutputFormat?,
        keepsOriginal: Bool,
        encodeOptions: EncodeOptions,
        arguments: [SourceArgument],
        pipeline: ImagePipeline
    ) {
        self.pipeline = pipeline
        self.output = output
        self.format = format
        self.keepsOriginal = keepsOriginal
        self.encodeOptions = encodeOptions
        self.arguments = arguments
        isFolder =
            output.map { $0.endsInSlash || FileOutput.isFolder($0) || Set(arguments).count > 1 } ?? false
        names = Self.distinctNames(for: arguments)
    }

    /// Makes the folder for the results.
    ///
    /// - Throws: ``ImageError`` of the stage ``ImageError/Stage/store``.
    func prepare() throws(ImageError) {
        if isFolder, let output { try FileOutput.makeFolder(output, source: "the results") }
    }

    /// Writes an image that was loaded, if there is an output to write it to.
    ///
    /// - Parameters:
    ///   - isNeeded: A Boolean value that indicates whether to write at all; otherwise only the path is worked out.
    ///   - fetchOriginal: Returns the encoded original, where the response does not have it.
    func write(
        _ response: ImageResponse,
        at index: Int,
        isNeeded: Bool,
        fetchOriginal: @Sendable () async throws -> Data
    ) async throws -> GetResult.Loaded {
        var loaded = GetResult.Loaded(response)
        guard let output else { return loaded }
        let target = outputFormat(for: response)
        let path = path(in: output, index: index, fileExtension: target.fileExtension)
        loaded.output = path
        loaded.format = target.format
        guard isNeeded else { return loaded }
        let data: Data
        (data, loaded.encodeTime) = try await encoded(response, as: target, at: index, fetchOriginal: fetchOriginal)
        loaded.writeTime = try await FileOutput.writeInBackground(data, to: path, source: arguments[index].text)
        return loaded
    }

    /// Returns the requested format, else the one of the file's name, else the original's, or PNG if that cannot be
    /// written.
    private func outputFormat(for response: ImageResponse) -> OutputFormat {
        if let format { return format }
        if !isFolder, let output, let format = OutputFormat(path: output) { return format }
        let original = response.image.info.format
        if keepsOriginal { return OutputFormat(original) }
        return OutputFormat(name: original.rawValue) ?? OutputFormat(.png)
    }

    /// Returns the bytes to write, and the time that encoding them took.
    private func encoded(
        _ response: ImageResponse,
        as target: OutputFormat,
        at index: Int,
        fetchOriginal: @Sendable () async throws -> Data
    ) async throws -> (Data, Duration) {
        let clock = ContinuousClock()
        if keepsOriginal, target.format == response.image.info.format {
            let start = clock.now
            let data = if let data = response.data { data } else { try await fetchOriginal() }
            return (data, clock.now - start)
        }
        do {
            return try await pipeline.withPixels(of: response.image) { [encodeOptions] bitmap in
                let start = clock.now
                let data = try ImageCodecs.standard.encode(bitmap, as: target.format, options: encodeOptions)
                return (data, clock.now - start)
            }
        } catch let error as CodecError {
            throw ImageError(stage: .encode, reason: .codec(error), source: arguments[index].text)
        }
    }

    private func path(in output: String, index: Int, fileExtension: String) -> String {
        guard isFolder else { return output }
        let folder = output.endsInSlash ? output : output + "/"
        return "\(folder)\(names[index]).\(fileExtension)"
    }

    /// Returns a name for each argument, with "-2", "-3", … appended where different images have the same name.
    static func distinctNames(for arguments: [SourceArgument]) -> [String] {
        var known: [SourceArgument: String] = [:]
        var taken: Set<String> = []
        // The number at which counting goes on for a name, since all numbers before are taken.
        var next: [String: Int] = [:]
        return arguments.map { argument in
            if let name = known[argument] { return name }
            let base = argument.fileName
            var number = next[base] ?? 1
            var name: String
            repeat {
                name = number == 1 ? base : "\(base)-\(number)"
                number += 1
            } while !taken.insert(name).inserted
            next[base] = number
            known[argument] = name
            return name
        }
    }
}
