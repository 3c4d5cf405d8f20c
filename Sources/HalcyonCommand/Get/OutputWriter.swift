internal import FoundationEssentials
internal import Halcyon

/// Decides where results go and in which format, and writes them.
struct OutputWriter: Sendable {
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
        arguments: [SourceArgument]
    ) {
        self.output = output
        self.format = format
        self.keepsOriginal = keepsOriginal
        self.encodeOptions = encodeOptions
        self.arguments = arguments
        isFolder =
            output.map { $0.hasSuffix("/") || FileOutput.isFolder($0) || Set(arguments).count > 1 } ?? false
        names = Self.distinctNames(for: arguments)
    }

    /// Makes the folder that is written into.
    ///
    /// - Throws: ``ImageError`` of the stage ``ImageError/Stage/store``.
    func prepare() throws(ImageError) {
        if isFolder, let output { try FileOutput.makeFolder(output, source: "the results") }
    }

    /// Writes what was loaded, if there is anywhere to write it to.
    ///
    /// - Parameters:
    ///   - isNeeded: Whether to write at all; otherwise only the path is worked out.
    ///   - fetchOriginal: Gets the encoded original, where the response does not have it.
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
        let clock = ContinuousClock()
        let start = clock.now
        let data = try await encoded(response, as: target, at: index, fetchOriginal: fetchOriginal)
        let encoded = clock.now
        try FileOutput.write(data, to: path, source: arguments[index].text)
        loaded.encodeTime = encoded - start
        loaded.writeTime = clock.now - encoded
        return loaded
    }

    /// What was asked for, or what the file's name says, or the original's format, or PNG if that cannot be written.
    private func outputFormat(for response: ImageResponse) -> OutputFormat {
        if let format { return format }
        if !isFolder, let output, let format = OutputFormat(path: output) { return format }
        let original = response.image.info.format
        if keepsOriginal { return OutputFormat(original) }
        return OutputFormat(name: original.rawValue) ?? OutputFormat(.png)
    }

    private func encoded(
        _ response: ImageResponse,
        as target: OutputFormat,
        at index: Int,
        fetchOriginal: @Sendable () async throws -> Data
    ) async throws -> Data {
        if keepsOriginal, target.format == response.image.info.format {
            if let data = response.data { return data }
            return try await fetchOriginal()
        }
        do {
            return try ImageCodecs.standard.encode(response.image.bitmap, as: target.format, options: encodeOptions)
        } catch {
            throw ImageError(stage: .encode, reason: .codec(error), source: arguments[index].text)
        }
    }

    private func path(in output: String, index: Int, fileExtension: String) -> String {
        guard isFolder else { return output }
        let folder = output.hasSuffix("/") ? output : output + "/"
        return "\(folder)\(names[index]).\(fileExtension)"
    }

    /// Appends "-2", "-3", … where different images have the same name.
    private static func distinctNames(for arguments: [SourceArgument]) -> [String] {
        var known: [SourceArgument: String] = [:]
        var taken: Set<String> = []
        return arguments.map { argument in
            if let name = known[argument] { return name }
            var name = argument.fileName
            var number = 2
            while !taken.insert(name).inserted {
                name = "\(argument.fileName)-\(number)"
                number += 1
            }
            known[argument] = name
            return name
        }
    }
}
