public import HTTPTypes
public import HalcyonHTTP

extension ImageDownloader {
    /// The settings that are the same for all downloads of a downloader.
    public struct Configuration: Sendable {
        /// The name of the downloader, for logs. Default: "default".
        public var name: String
        /// The policy of every download, combined with the policy of each. Default: the defaults.
        public var policy: NetworkPolicy
        /// The headers that may differ between requests that share a transfer; those of the first request are sent.
        /// `Authorization`, `Cookie` and `Proxy-Authorization` always count. Default: `traceparent` and `tracestate`
        /// (W3C Trace Context), which differ for each request.
        public var headersIgnoredForSharing: Set<HTTPField.Name>
        /// The number of bytes up to which bodies are collected in memory; longer ones are in a file without a name,
        /// which is mapped at the end. With ``partialBodies``, those that can be continued are written to a file after a
        /// second, too. Default: 4 MiB.
        public var memoryThreshold = 4 << 20
        /// The folder for longer bodies; `nil`: the system's temporary folder (`$TMPDIR`, or `/tmp`). Default: `nil`.
        public var temporaryFolder: String?
        /// The store of the received parts of interrupted bodies, which later transfers continue. Default: `nil`: every
        /// transfer begins at the beginning.
        public var partialBodies: PartialBodyStore?
        /// Called with every event, on the thread on which it happens; it must return soon. Events of one transfer come
        /// in order and never at the same time. Default: `nil`.
        public var onEvent: (@Sendable (Event) -> Void)?

        /// A configuration with a default for each other field.
        public init(
            name: String = "default",
            policy: NetworkPolicy = NetworkPolicy(),
            headersIgnoredForSharing: Set<HTTPField.Name> = Configuration.traceHeaders,
            onEvent: (@Sendable (Event) -> Void)? = nil
        ) {
            self.name = name
            self.policy = policy
            self.headersIgnoredForSharing = headersIgnoredForSharing
            self.onEvent = onEvent
        }

        /// The headers of W3C Trace Context: `traceparent` and `tracestate`.
        public static let traceHeaders = Set(["traceparent", "tracestate"].compactMap { HTTPField.Name($0) })

        /// The time that a server may stay silent, before and after the connection is established; zero means 15 s.
        /// Applies to requests that have no timeouts of their own. Default: 15 s.
        public var downloadTimeout: Duration {
            get { policy.timeouts?.idle ?? .seconds(15) }
            set { policy.timeouts = .download(newValue) }
        }
    }
}

extension ImageDownloader.Configuration {
    var bodies: BodyLoader.Configuration {
        var bodies = BodyLoader.Configuration()
        bodies.memoryThreshold = memoryThreshold
        if let temporaryFolder { bodies.temporaryFolder = temporaryFolder }
        bodies.partialBodies = partialBodies
        return bodies
    }
}

extension ImageDownloader {
    /// An event of a transfer. Each transfer has exactly one ``Kind/started`` event, before any other, then one
    /// ``Kind/responded(_:)`` if the head of a final response comes, and exactly one ``Kind/finished(_:)`` event.
    /// Callers who join a transfer cause none.
    public struct Event: Sendable {
        /// The kind of an event.
        public enum Kind: Sendable {
            /// The first request is about to be sent.
            case started
            /// The head of the final response has come, after redirects and authentication, as the server sent it.
            case responded(TransferResponse)
            /// The transfer is over, and hooks have run on the body. The error is the one that the callers
            /// get: an ``ImageError``, or `CancellationError` after the last of them cancelled.
            case finished(Result<TransferMetrics, any Error>)
        }

        /// The number of the transfer, unique within the downloader.
        public let transfer: Int
        /// The first request of the transfer, as it is sent.
        public let request: TransferRequest
        /// The kind of the event.
        public let kind: Kind
    }
}
