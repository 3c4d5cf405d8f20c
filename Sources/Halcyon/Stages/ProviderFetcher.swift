internal import FoundationEssentials
internal import HalcyonHTTP

/// The fetcher of bytes that a provider of the program supplies.
struct ProviderFetcher {
    let provider: AnyImageDataProvider
    let files: FileFetcher

    /// The longest text that is decoded where the load runs. Going to a thread and back takes longer than decoding it.
    private static let inlineTextLimit = 1 << 16

    /// Returns the bytes as the original of a load.
    func fetch(_ request: ResolvedRequest, context: WorkContext) async throws -> FetchedOriginal {
        if let cycle = request.steps?.cycle { throw error(.providerCycle(cycle)) }
        do {
            let limit = (request.options.network.limits ?? .standard).bodyBytes
            // The work is a task of its own. It is shared by loads of the same steps alone.
            let data = try await Interception.within(request.steps?.all ?? []) {
                try await self.data(limit: limit, context.nextAttempt())
            }
            // A provider that ignores cancellation must not deliver a late success.
            try Task.checkCancellation()
            guard data.count <= limit else { throw Failure.tooManyBytes(limit) }
            let isURL = provider.base is DataURL
            guard !data.isEmpty else {
                throw Failure(description: "the \(isURL ? "data URL" : "provider") has no bytes")
            }
            return FetchedOriginal(data: data, source: .data)
        } catch let error as CancellationError {
            throw error
        } catch let failure {
            try Task.checkCancellation()
            if let failure = failure as? ImageError, case .providerCycle = failure.reason {
                throw error(failure.reason)
            }
            throw error(.provider("\(failure)"))
        }
    }

    private func error(_ reason: ImageError.Reason) -> ImageError {
        ImageError(stage: .load, reason: reason, source: provider.description)
    }

    private func data(limit: Int, _ context: WorkContext) async throws -> Data {
        if let text = provider.base as? any TextImageDataProvider {
            guard text.text.utf8.count > Self.inlineTextLimit else { return try text.decoded() }
            return try await files.run(priority: context.priority) { try text.decoded() }
        }
        guard let stream = provider.base as? any StreamingImageDataProvider else {
            return try await provider.base.data()
        }
        return try await gather(stream, limit: limit, context)
    }

    /// Returns all pieces of a stream in one, and reports each.
    private func gather(
        _ stream: some StreamingImageDataProvider,
        limit: Int,
        _ context: WorkContext
    ) async throws -> Data {
        let expected = stream.expectedByteCount.flatMap { $0 >= 0 ? $0 : nil }
        guard expected ?? 0 <= limit else { throw Failure.tooManyBytes(limit) }
        // A stated length reserves no more than that.
        let bytes = ArrivingBytes(capacity: min(expected ?? 0, 8 << 20))
        // Also where the stream fails.
        defer { bytes.end() }
        var count = 0
        for try await chunk in try await stream.chunks() {
            try Task.checkCancellation()
            guard chunk.count <= limit - count else { throw Failure.tooManyBytes(limit) }
            bytes.append(chunk)
            if count == 0, !chunk.isEmpty {
                context.report(.receiving(BodyReport(bytes, number: WorkNumber.next(), provenance: .data)))
            }
            count += chunk.count
            let progress = ImageProgress(receivedBytes: count, expectedBytes: expected)
            context.report(.progress(ProgressReport(progress: progress)))
        }
        return bytes.end()
    }

    /// A failure of a provider that throws no error.
    private struct Failure: Error, CustomStringConvertible {
        let description: String

        static func tooManyBytes(_ limit: Int) -> Failure {
            Failure(description: "the provider has more than the \(limit) bytes allowed")
        }
    }
}

/// The steps that a provider runs in, its own last. Loads that it begins are begun within them.
struct ProviderSteps: Hashable, Sendable {
    /// Those of the load of its bytes, with the loader that it is of.
    private let enclosing: [Interception.Step]
    private let own: Interception.Step
    private let isLoaded: Bool

    /// The steps of a source's provider; `nil` for other sources, and for a provider whose bytes are in memory: it
    /// begins no loads.
    init?(_ source: Source, within enclosing: [Interception.Step], of pipeline: ObjectIdentifier) {
        guard case .provider(let provider) = source.location, !source.hasLocalBytes else { return nil }
        own = Interception.Step(part: .provider(provider), pipeline: pipeline)
        isLoaded = source.loaded != nil
        self.enclosing = enclosing + (source.loaded.map { [$0.step] } ?? [])
    }

    /// All steps, in the order in which they were begun.
    var all: [Interception.Step] { enclosing + [own] }

    /// The names of the providers that would wait for each other, the same at both ends; `nil` if none would.
    ///
    /// Loads within a provider share no work in progress with loads outside of it. So a provider that needs its own
    /// bytes, by whatever way, comes to itself within its own steps. A provider of a loader may be the same as one of
    /// another loader, whose source it loads; the loader itself is not asked there.
    var cycle: [String]? {
        guard let first = enclosing.firstIndex(of: own) else { return nil }
        if isLoaded, let loader = enclosing.last, !enclosing.dropLast().contains(loader) { return nil }
        return (enclosing[first...] + [own]).compactMap { step in
            if case .provider(let provider) = step.part { provider.description } else { nil }
        }
    }
}
