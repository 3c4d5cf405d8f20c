internal import FoundationEssentials
internal import HalcyonConcurrency

/// Reads local files, on threads of its own.
final class FileFetcher: Sendable {
    private let readers = WorkQueue(name: "halcyon.files", width: 2)

    /// The present state of a file.
    ///
    /// - Throws: ``ImageError``, `CancellationError`.
    func identity(of path: String, context: WorkContext) async throws -> FileReader.Identity {
        try await run(path, context) { _ in try FileReader.identity(of: path) }
    }

    private func run<Result: Sendable>(
        _ path: String,
        _ context: WorkContext,
        _ body: @escaping @Sendable (CancellationFlag) throws -> Result
    ) async throws -> Result {
        do {
            return try await readers.run(priority: context.priority, body)
        } catch let error as FileReader.Failure {
            throw ImageError(stage: .load, reason: .file(path: path, reason: error.reason), source: path)
        }
    }

    /// One file as the original of a load.
    struct Whole: OriginalFetching {
        let files: FileFetcher
        let path: String

        func fetch(_ request: ResolvedRequest, context: WorkContext) async throws -> FetchedOriginal {
            let (path, limit) = (path, (request.options.network.limits ?? .standard).bodyBytes)
            let data = try await files.run(path, context) { flag in
                try FileReader.read(path, limit: limit, cancellation: flag)
            }
            return FetchedOriginal(data: data, source: .file)
        }
    }
}

extension FileReader.Identity {
    /// The key of the image in a file in this state.
    func key(of path: String) -> String {
        var encoder = CacheKeyEncoder()
        encoder.encode(path)
        encoder.encode(byteCount)
        encoder.encode(modifiedSeconds)
        encoder.encode(modifiedNanoseconds)
        encoder.encode(Int(truncatingIfNeeded: node))
        return "file:" + encoder.bytes.map { String($0, radix: 16) }.joined(separator: ".")
    }
}
