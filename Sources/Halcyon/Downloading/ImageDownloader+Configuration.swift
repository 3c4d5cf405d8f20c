public import HTTPTypes
public import HalcyonHTTP

extension ImageDownloader {
    /// What is the same for all downloads of a downloader.
    public struct Configuration: Sendable {
        /// What the downloader is called, for logs. Default: "default".
        public var name: String
        /// What holds for every download, beside what each one says for itself. Default: the defaults.
        public var policy: NetworkPolicy
        /// Headers that may differ between requests that share a transfer; the first one's are sent. Never `Authorization`,
        /// `Cookie` or `Proxy-Authorization`, which always count. Default:
        /// `traceparent` and `tracestate` (W3C Trace Context), which differ for each request.
        public var headersIgnoredForSharing: Set<HTTPField.Name>
        /// Bodies up to this many bytes are gathered in memory; longer ones in a file without a name, which is mapped in
        /// the end. Default: 4 MiB.
        public var memoryThreshold = 4 << 20
        /// Where longer bodies are written; `nil`: the system's temporary folder (`$TMPDIR`, or `/tmp`). Default: `nil`.
        public var temporaryFolder: String?
        /// Keeps what has come of interrupted bodies, so that later transfers go on from there. Default: `nil`, which
        /// lets every transfer begin at the beginning.
        public var partialBodies: PartialBodyStore?
        /// Told of every event, on whatever thread it happens; it must return soon. Events of one transfer come in
        /// order and never at the same time. Default: `nil`.
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

        /// How long a server may keep silent, before the connection stands and after; zero means 15 s. Holds for
        /// requests that have no timeouts of their own. Default: 15 s.
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
