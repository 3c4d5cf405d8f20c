public import HalcyonCodecs
public import HalcyonHTTP
public import HalcyonStore
internal import HalcyonSystem

extension ImagePipeline {
    /// The parts and bounds of a pipeline.
    public struct Configuration: Sendable {
        /// The downloader that loads bytes from servers. Default: a downloader over a ``CurlTransport`` of its own.
        public var downloader: ImageDownloader
        /// The cache that keeps images. Default: the cache named "default".
        public var cache: ImageCache
        /// The codecs that decode and encode images. Default: ``ImageCodecs/standard``.
        public var codecs: ImageCodecs
        /// The options that the changes of a call are applied to. Default: the standard values.
        public var defaultOptions: ImageOptions
        /// The number of images that are decoded or processed at the same time; at least 1. Default: the number of
        /// processors this process may use.
        public var workerCount: Int
        /// The largest number of bytes of pixels that are being decoded, or wait to be processed, at the same time; a
        /// larger image is decoded alone. Processors that make larger bitmaps than they get may take as much again.
        /// Default: a quarter of the memory this process may use.
        public var decodeBudget: Int
        /// The parts that a pipeline recovers from failures with. Default: see ``RecoveryConfiguration``.
        public var recovery: RecoveryConfiguration
        /// The threads that decode, process and encode, which several pipelines may share; `nil`: those of the pipeline
        /// alone, as ``workerCount`` and ``decodeBudget`` say. Default: `nil`.
        public var workers: PixelWorkers?
        /// The folder of the thumbnails that the programs of the user share, which ``Source/thumbnail(ofFile:size:)``
        /// reads; `nil`: no thumbnail is read. Default: ``userThumbnailFolder``.
        public var thumbnailFolder: String?

        /// The folder that the Thumbnail Managing Standard names for the user of this process: `thumbnails` in
        /// `$XDG_CACHE_HOME` or in `.cache` of the home folder; `nil` for a user without one.
        public static var userThumbnailFolder: String? {
            CacheLocation().userCaches.map { $0 + "/thumbnails" }
        }

        /// The observers of all loads. Default: none.
        public var observers: [any LoadObserving] = []
        /// The interceptors of all loads, the first outermost. Default: none.
        public var interceptors: [any LoadIntercepting] = []
        /// The loaders that are asked for the bytes of sources, in their order. Default: none.
        public var loaders: [any SourceLoading] = []
        /// The kinds of sources that are loaded, others failing with ``ImageError/Reason/sourceNotAllowed(_:)``: also for
        /// previews, and for sources that may take the place of another one. Default: all.
        public var allowedSources = SourceKinds.all
        /// Shares work with other processes, such as those of a fleet of servers; `nil`: each makes its own. Default: `nil`.
        public var sharing: (any WorkSharing)?

        /// Returns a configuration for URLs of other people: sources are servers alone, and connections are made to addresses
        /// of the public Internet alone (``AddressPolicy/publicOnly(allowing:)``), wherever a redirect leads. All else has
        /// its default, whose limits hold for untrusted images already.
        ///
        /// - Parameter exceptions: Host names, addresses and networks that may be connected to all the same. Default: none.
        public static func untrusted(allowing exceptions: Set<String> = []) -> Configuration {
            var transport = CurlTransport.Configuration()
            transport.addresses = .publicOnly(allowing: exceptions)
            var configuration = Configuration(
                downloader: ImageDownloader(transport: CurlTransport(configuration: transport))
            )
            configuration.allowedSources = .web
            return configuration
        }

        /// A configuration with a default for everything. Each parameter is the property of its name; `defaultOptions` are
        /// changes to the standard values.
        public init(
            downloader: ImageDownloader = ImageDownloader(transport: CurlTransport()),
            cache: ImageCache? = nil,
            codecs: ImageCodecs = .standard,
            defaultOptions: [ImageOption] = [],
            workerCount: Int = ProcessorCount.available,
            decodeBudget: Int = SystemMemory().available / 4,
            recovery: RecoveryConfiguration = RecoveryConfiguration(),
            workers: PixelWorkers? = nil,
            thumbnailFolder: String? = Self.userThumbnailFolder
        ) {
            self.downloader = downloader
            self.cache = cache ?? ImageCache()
            self.codecs = codecs
            self.defaultOptions = ImageOptions().applying(defaultOptions)
            self.workerCount = max(1, workerCount)
            self.decodeBudget = max(1, decodeBudget)
            self.recovery = recovery
            self.workers = workers
            self.thumbnailFolder = thumbnailFolder
        }
    }
}
