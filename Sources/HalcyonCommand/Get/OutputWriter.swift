internal import FoundationEssentials
internal import Halcyon

/// Decides where results go and in which format, and writes them.
struct OutputWriter: Sendable {
    private let isFolder: Bool
    private let output: String?
    /// The format of the results; `nil` if nothing is written.
    let format: EncodedImageFormat?
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
        self.arguments = arguments
        let isFolder =
            output.map { $0.endsInSlash || FileOutput.isFolder($0) || Set(arguments).count > 1 } ?? false
        self.isFolder = isFolder
        names = Self.distinctNames(for: arguments)
        self.format = output.map { output in
            // The requested format, else the one of the file's name, else the original's.
            let named = format ?? (isFolder ? nil : OutputFormat(path: output))
            var encoded =
                named.map { EncodedImageFormat.format($0.format, encodeOptions) } ?? .original(encodeOptions)
            encoded.keepsOriginal = keepsOriginal
            return encoded
        }
    }

    /// Makes the folder for the results.
    ///
    /// - Throws: ``ImageError`` of the stage ``ImageError/Stage/store``.
    func prepare() throws(ImageError) {
        if isFolder, let output { try FileOutput.makeFolder(output, source: "the results") }
    }

    /// Writes an image that was loaded.
    ///
    /// - Parameter isNeeded: A Boolean value that indicates whether to write at all; otherwise only the path is worked
    ///   out.
    func write(_ image: EncodedImage, at index: Int, isNeeded: Bool) async throws -> GetResult.Loaded {
        var loaded = GetResult.Loaded(image)
        guard let output else { return loaded }
        let path = path(in: output, index: index, fileExtension: OutputFormat(image.format).fileExtension)
        loaded.output = path
        guard isNeeded else { return loaded }
        loaded.writeTime = try await FileOutput.writeInBackground(image.data, to: path, source: arguments[index].text)
        return loaded
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
