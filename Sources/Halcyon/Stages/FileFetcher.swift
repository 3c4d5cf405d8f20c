internal import FoundationEssentials
internal import HalcyonSystem

/// Reads local files, on threads of its own.
final class FileFetcher: Sendable {
    private let readers = WorkQueue(name: "halcyon.files", width: 2)
    /// Examines files, of which nothing is read: that does not wait until whole files are read.
    private let examiners = WorkQueue(name: "halcyon.files.state", width: 2)
    /// The states in which files were examined last, by path.
    private let states = Lock(BoundedTable<String, FileReader.Identity>(capacity: 10_000))
    private let thumbnails: ThumbnailFolder?

    init(thumbnails: ThumbnailFolder?) {
        self.thumbnails = thumbnails
    }

    /// Runs work other than on a file that takes long, or waits for the system.
    func run<Result: Sendable>(
        priority: PriorityBox,
        _ body: @escaping @Sendable () throws -> Result
    ) async throws -> Result {
        try await readers.run(priority: priority) { _ in try body() }
    }

    /// Returns the present state of a file.
    func identity(of path: String, context: WorkContext) async throws -> FileReader.Identity {
        try await run(path, context, on: examiners) { [states] _ in
            let state = Result { try FileReader.identity(of: path) }
            states.withLock { states in
                switch state {
                case .success(let identity): states.insert(identity, for: path)
                case .failure: states.remove(path)
                }
            }
            return try state.get()
        }
    }

    /// Returns the state in which a file was examined last, without examining it; `nil` if it was not.
    func lastIdentity(of path: String) -> FileReader.Identity? { states.withLock { $0[path] } }

    private func run<Result: Sendable>(
        _ path: String,
        _ context: WorkContext,
        on queue: WorkQueue? = nil,
        _ body: @escaping @Sendable (CancellationFlag) throws -> Result
    ) async throws -> Result {
        do {
            return try await (queue ?? readers).run(priority: context.priority, body)
        } catch let error as FileReader.Failure {
            throw ImageError(stage: .load, reason: .file(path: path, reason: error.reason), source: path)
        }
    }

    /// Returns the state of one file, from which the decoder of a video reads as much as it needs: it may be larger than the
    /// memory.
    func video(_ path: String, for request: ResolvedRequest, context: WorkContext) async throws -> FetchedOriginal {
        let identity = try await identity(of: path, context: context)
        let data = Data(identity.key(of: path).utf8)
        return FetchedOriginal(data: data, source: .file, effect: request.effect(ofFileIn: identity))
    }

    /// Returns one file as the original of a load, or its thumbnail where there is one.
    func bytes(
        of path: String,
        or thumbnail: FileThumbnail?,
        for request: ResolvedRequest,
        context: WorkContext
    ) async throws -> FetchedOriginal {
        let limit = (request.options.network.limits ?? .standard).bodyBytes
        let (data, identity) = try await run(path, context) { [thumbnails] flag in
            // A thumbnail shows what is in the file, so it is only for those who may read the file.
            if let thumbnail, let thumbnails, let state = try FileReader.readableIdentity(of: path),
                let data = try thumbnails.thumbnail(of: thumbnail, in: state, limit: limit, cancellation: flag)
            {
                return (data, Optional(state))
            }
            return try FileReader.read(path, limit: limit, cancellation: flag)
        }
        return FetchedOriginal(data: data, source: .file, effect: request.effect(ofFileIn: identity))
    }
}

extension ResolvedRequest {
    /// Returns the effect on the caches of bytes that were read from the source's file in this state; `nil`: it changed
    /// meanwhile, so that they may be a part of one image and a part of another. Without a cache key of its own, a file
    /// is named after its state before it was opened.
    func effect(ofFileIn state: FileReader.Identity?) -> OriginalCaching.Effect {
        guard let state else { return .leave }
        let isNamed = source.cacheKey != nil || source.originalName(in: state) == key.original.text
        return isNamed ? .store : .leave
    }
}

extension FileReader.Identity {
    /// Returns the key of the image in a file in this state.
    func key(of path: String) -> String {
        var encoder = CacheKeyEncoder()
        encoder.encode(path)
        encoder.encode(byteCount)
        encoder.encode(modifiedSeconds)
        encoder.encode(modifiedNanoseconds)
        encoder.encode(changedSeconds)
        encoder.encode(changedNanoseconds)
        encoder.encode(Int(truncatingIfNeeded: node))
        encoder.encode(Int(truncatingIfNeeded: device))
        return "file:" + encoder.bytes.map { String($0, radix: 16) }.joined(separator: ".")
    }
}
