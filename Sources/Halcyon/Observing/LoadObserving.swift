/// A type that receives the events of loads: for logs, metrics, traces and panels.
///
/// An observer of ``ImagePipeline/Configuration/observers`` receives the events of all loads of a pipeline, one of
/// ``DeliveryPolicy/observers`` those of the loads whose options name it. What it does has no influence on keys, caches or
/// shared work.
///
/// The events of one load come one after the other, in the order in which they happened, the first
/// ``LoadActivity/began`` and the last ``LoadActivity/ended(_:duration:)``; those of different loads come at the same time.
/// They come on the threads on which they happen, and the load waits for the call, so it should return soon. No lock is
/// held, so an observer may call the pipeline.
public protocol LoadObserving: Hashable, Sendable {
    /// Receives an event.
    func observe(_ observation: LoadObservation)
}

/// A closure that receives the events of loads. It is equal to its copies only.
public struct LoadObserver: LoadObserving {
    private let closure: IdentifiedClosure<@Sendable (LoadObservation) -> Void>

    /// An observer with a closure; see ``LoadObserving/observe(_:)``.
    public init(_ closure: @escaping @Sendable (LoadObservation) -> Void) {
        self.closure = IdentifiedClosure(closure)
    }

    /// Calls the closure.
    public func observe(_ observation: LoadObservation) {
        closure.function(observation)
    }
}

/// An event of a load.
public struct LoadObservation: Sendable {
    /// The number of the load, which no other load of this process has.
    public let load: UInt64
    /// The source that the load was asked for, after the first step of interceptors (``ImagePipeline/prepared(_:)``).
    public let source: Source
    /// The options of the load, those of the pipeline included, with the values of the program's own
    /// (``ImageOptionKey``).
    public let options: ImageOptions
    /// The event.
    public let activity: LoadActivity
    /// A Boolean value that indicates whether the work is shared, and was begun by another load whose observers receive
    /// the same event with `false`. A sum over all loads counts only events with `false`.
    public let isShared: Bool

    /// The source in a form for logs and traces: a URL without user, password, query and fragment, in which secrets may
    /// be; a path; or the kind of data.
    public var sourceName: String {
        switch source.location {
        case .network(let request): Self.withoutSecrets(request.url.absoluteString)
        // Where its user ends is unknown, as of a password with a slash in it.
        case .invalid(let url) where url.text.utf8.contains(UInt8(ascii: "@")): "an invalid URL"
        case .invalid(let url): Self.withoutSecrets(url.text)
        case .file, .videoFile, .data, .provider, .inline, .thumbnail: source.description
        }
    }

    private static func withoutSecrets(_ url: String) -> String {
        let end = url.firstIndex { $0 == "?" || $0 == "#" } ?? url.endIndex
        let url = url[..<end]
        // The parts of scheme://user:password@host/path.
        let parts = url.split(separator: "/", maxSplits: 3, omittingEmptySubsequences: false)
        guard parts.count > 2, let user = parts[2].lastIndex(of: "@") else { return String(url) }
        var shown = parts
        shown[2] = parts[2][parts[2].index(after: user)...]
        return shown.joined(separator: "/")
    }
}
