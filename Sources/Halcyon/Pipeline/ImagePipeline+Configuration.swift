public import HalcyonCodecs
internal import HalcyonConcurrency
public import HalcyonHTTP
public import HalcyonStore

extension ImagePipeline {
    /// What a pipeline works with.
    public struct Configuration: Sendable {
        /// Gets bytes from servers. Default: a downloader over a ``CurlTransport`` of its own.
        public var downloader: ImageDownloader
        /// Keeps images. Default: the cache named "default".
        public var cache: ImageCache
        /// Decodes and encodes. Default: ``ImageCodecs/standard``.
        public var codecs: ImageCodecs
        /// What the options of every call start from, however they are given: none, as a list of changes, or as a value, of
        /// which each field counts that differs from what ``ImageOptions/init()`` says. Default: the defaults.
        public var defaultOptions: ImageOptions
        /// How many images are decoded or processed at the same time. Default: the number of processors this process
        /// may use.
        public var workerCount: Int
        /// The most decoded pixels that may be in the making or wait to be processed at the same time, in bytes; a larger image is
        /// decoded alone. Processors that make larger bitmaps than they get may take as much again. Default: a quarter of the
        /// memory this process may use.
        public var decodeBudget: Int
        /// What is at hand when a load fails.
        public var recovery: RecoveryConfiguration

        /// A configuration with a default for everything.
        public init(
            downloader: ImageDownloader = ImageDownloader(transport: CurlTransport()),
            cache: ImageCache = ImageCache(),
            codecs: ImageCodecs = .standard,
            defaultOptions: ImageOptions = ImageOptions(),
            workerCount: Int = ProcessorCount.available,
            decodeBudget: Int = SystemMemory().available / 4,
            recovery: RecoveryConfiguration = RecoveryConfiguration()
        ) {
            self.downloader = downloader
            self.cache = cache
            self.codecs = codecs
            self.defaultOptions = defaultOptions
            self.workerCount = max(1, workerCount)
            self.decodeBudget = max(1, decodeBudget)
            self.recovery = recovery
        }
    }
}
