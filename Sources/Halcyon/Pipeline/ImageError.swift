public import FoundationEssentials
public import HalcyonCodecs
public import HalcyonHTTP

/// An error that ended the load of an image: the part of the load that failed, and the reason.
///
/// A cancelled load does not end with this error but with Swift's `CancellationError`.
public struct ImageError: Error, Sendable, Hashable {
    /// A part of a load.
    public enum Stage: String, Sendable, Hashable, CaseIterable {
        /// Interpreting the source.
        case source
        /// Looking into the caches.
        case cache
        /// Reading bytes from the network, a file or a provider.
        case load
        /// Decoding bytes to pixels.
        case decode
        /// Running processors.
        case process
        /// Encoding pixels to bytes.
        case encode
        /// Writing to a cache or a file.
        case store
    }

    /// The reason of a failure.
    public enum Reason: Sendable, Hashable {
        /// The source is no URL that images can be loaded from.
        case invalidURL(String)
        /// The pipeline does not load sources of this kind (``ImagePipeline/Configuration/allowedSources``).
        case sourceNotAllowed(SourceKinds)
        /// No cache has the image, and the options forbid the network.
        case notCached
        /// ``DownloadHooks`` rejected the request; nothing was sent. The value is the text of the error if it
        /// threw one.
        case requestRejected(String?)
        /// The downloader was shut down before the request.
        case downloaderShutDown
        /// ``DownloadHooks`` refused the redirect to this URL.
        case redirectRejected(String)
        /// The content type is none of ``NetworkPolicy/acceptedContentTypes``; `nil`: the server did not name a type.
        case contentType(String?)
        /// ``DownloadHooks`` refused the response. The value is the text
        /// of the error if one was thrown.
        case responseRejected(String?)
        /// ``DownloadHooks`` refused the body. The value is the text of the error if it threw one.
        case dataRejected(String?)
        /// The server answered with a status that is not accepted; by default one outside 200..<400.
        case status(Int)
        /// The server answered without a body.
        case emptyBody
        /// The transfer failed.
        case transfer(TransferError)
        /// A file could not be read or written: its path, and the text of the system's error.
        case file(path: String, reason: String)
        /// The provider failed. The value is the text of its error.
        case provider(String)
        /// The bytes could not be decoded, or the pixels not encoded.
        case codec(CodecError)
        /// A processor failed. The value is the text of its error.
        case processing(String)
        /// The disk cache failed, or a tier below. The value is the text of its error. Such an error never fails a load; it is reported
        /// beside it.
        case diskCache(String)
        /// No cache has the image, the network is metered, and the options forbid such a network.
        case meteredNetwork
        /// The source and all sources that could take its place failed: each with its error, in the order in which they
        /// were tried.
        case alternativesExhausted([SourceFailure])
        /// The request failed a short while ago for this reason, and the ``FailureMemory`` keeps it from being sent
        /// again.
        indirect case failedBefore(Reason)
        /// The server has failed too often lately, and the ``CircuitBreaker`` sends it no requests for
        /// ``ImageError/retryAfter``. The value is its host and port.
        case serverUnavailable(String)
        /// Two options of the request cannot both hold. Nothing was read or sent.
        case contradictoryOptions(OptionContradiction)
        /// An ``ImageSerializing`` failed, or what it made cannot be used. The value is the text of the error. Such an
        /// error never fails a load; it is reported beside it.
        case serialization(String)
        /// None of the formats on offer is accepted by the value of this `Accept` field.
        case notAcceptable(String)
        /// A ``LoadIntercepting`` threw an error of its own. The value is its text.
        case interceptor(String)
        /// The provider would wait for itself: it began a load that needs its own bytes, or those of another provider
        /// that needs them. The values are the names of the providers in the order in which each began the load of the
        /// next, the same at both ends.
        case providerCycle([String])
    }

    /// The part of the load that failed.
    public var stage: Stage
    /// The reason of the failure.
    public var reason: Reason
    /// A description of the source; a URL without the password that it may have.
    public var source: String
    /// The time that the server asked to wait before another request, where it answered with a `Retry-After` (RFC 9110,
    /// section 10.2.3); at most ``RetryAfter/longest``. Default: `nil`.
    public var retryAfter: Duration?
    private var provenance = Provenance()

    /// An error of a load of this source.
    public init(stage: Stage, reason: Reason, source: String, retryAfter: Duration? = nil) {
        self.stage = stage
        self.reason = reason
        self.source = source.withoutPassword
        self.retryAfter = retryAfter
    }
}

extension ImageError {
    /// The request that a failure is about, and the transfer. No part of the failure itself: errors that differ here alone are equal.
    private struct Provenance: Sendable, Hashable {
        var isOfOtherConfiguration = false
        var transfer: UInt64?

        static func == (left: Provenance, right: Provenance) -> Bool { true }

        func hash(into hasher: inout Hasher) {}
    }

    /// A Boolean value that indicates whether the transfer began under another configuration of the downloader than the one
    /// that the load is known by.
    var isOfOtherConfiguration: Bool {
        get { provenance.isOfOtherConfiguration }
        set { provenance.isOfOtherConfiguration = newValue }
    }

    /// The ``WorkNumber`` of the transfer that brought the error; `nil` if none was sent.
    var transfer: UInt64? {
        get { provenance.transfer }
        set { provenance.transfer = newValue }
    }
}

extension ImageError: CustomStringConvertible {
    /// A sentence that names the action, the source and the reason.
    public var description: String { "\(stage.action) \(source) failed: \(message)" }

    /// A description of the reason, without the source.
    public var message: String { reason.message(source: source) }

    /// A word for the reason that programs can rely on.
    public var code: String {
        switch reason {
        case .invalidURL: "invalidURL"
        case .sourceNotAllowed: "sourceNotAllowed"
        case .notCached: "notCached"
        case .requestRejected: "requestRejected"
        case .downloaderShutDown: "downloaderShutDown"
        case .redirectRejected: "redirectRejected"
        case .contentType: "contentType"
        case .responseRejected: "responseRejected"
        case .dataRejected: "dataRejected"
        case .status: "status"
        case .emptyBody: "emptyBody"
        case .transfer(let error): error.code
        case .file: "file"
        case .provider: "provider"
        case .processing: "processing"
        case .diskCache: "diskCache"
        case .codec(let error): error.code
        case .meteredNetwork: "meteredNetwork"
        case .alternativesExhausted: "alternativesExhausted"
        case .failedBefore: "failedBefore"
        case .serverUnavailable: "serverUnavailable"
        case .contradictoryOptions: "contradictoryOptions"
        case .serialization: "serialization"
        case .notAcceptable: "notAcceptable"
        case .interceptor: "interceptor"
        case .providerCycle: "providerCycle"
        }
    }
}

extension ImageError: LocalizedError {
    /// The same as ``description``, for `localizedDescription`.
    public var errorDescription: String? { description }
}

extension ImageError.Reason {
    fileprivate func message(source: String) -> String {
        switch self {
        case .invalidURL(let url): "“\(url.withoutPassword)” is not a URL that images can be loaded from"
        case .sourceNotAllowed(let kinds): "this pipeline loads no \(kinds)"
        case .notCached: "no cache has it, and the network may not be used"
        case .requestRejected(let reason): Self.sentence("the request was rejected before it was sent", reason)
        case .downloaderShutDown: "the downloader has been shut down"
        case .redirectRejected(let target): "the redirect was refused: \(target.withoutPassword)"
        case .contentType(let type?): "content of type “\(type)” is not accepted"
        case .contentType(nil): "the server did not say what type the content has"
        case .responseRejected(let reason): Self.sentence("the response was rejected before its body came", reason)
        case .dataRejected(let reason): Self.sentence("the body was rejected", reason)
        case .status(let status): "the server answered with status \(status)"
        case .emptyBody: "the server sent an empty body"
        case .transfer(let error): error.description
        case .file(let path, let reason): path == source ? reason : "\(path): \(reason)"
        case .provider(let reason), .processing(let reason), .diskCache(let reason): reason
        case .codec(let error): error.description
        case .meteredNetwork: "no cache has it, and the network is metered"
        case .alternativesExhausted(let failures):
            "none of \(failures.count) sources could be loaded: "
                + failures.map { "\($0.source): \($0.error.message)" }.joined(separator: "; ")
        case .failedBefore(let reason): "it failed a short while ago: \(reason.message(source: source))"
        case .serverUnavailable(let server): "\(server) has failed too often lately and is left alone for now"
        case .contradictoryOptions(let contradiction): contradiction.description
        case .serialization(let reason): "the serializer failed: \(reason)"
        case .notAcceptable(let field): "no format on offer is accepted by “\(field)”"
        case .interceptor(let reason): "an interceptor failed: \(reason)"
        case .providerCycle(let names): "the provider waits for itself: \(names.joined(separator: " → "))"
        }
    }

    private static func sentence(_ text: String, _ reason: String?) -> String {
        reason.map { "\(text): \($0)" } ?? text
    }
}

extension Source {
    /// Runs a step of a load on pixels, and gives its errors the type of a load's. A cancellation stays one.
    ///
    /// - Parameter codecStage: The stage of the errors of codecs; `nil`: they are those of processors, as all others.
    func typingErrors<Result>(
        ofCodecsAt codecStage: ImageError.Stage? = nil,
        _ body: () async throws -> Result
    ) async throws -> Result {
        do {
            return try await body()
        } catch let error as CancellationError {
            throw error
        } catch {
            guard let codecStage, let error = error as? CodecError else {
                throw ImageError(stage: .process, reason: .processing("\(error)"), source: "\(self)")
            }
            throw ImageError(stage: codecStage, reason: .codec(error), source: "\(self)")
        }
    }
}

extension ImageError.Stage {
    fileprivate var action: String {
        switch self {
        case .source: "Understanding"
        case .cache: "Looking up"
        case .load: "Loading"
        case .decode: "Decoding"
        case .process: "Processing"
        case .encode: "Encoding"
        case .store: "Storing"
        }
    }
}
