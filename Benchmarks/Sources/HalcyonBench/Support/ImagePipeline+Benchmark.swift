internal import Halcyon

extension ImagePipeline.Configuration {
    /// A pipeline over a transport of the benchmark, with a disk cache in a folder of its own.
    static func benchmark(
        _ transport: some HTTPTransport,
        folder: TemporaryFolder,
        codecs: ImageCodecs = .standard
    ) -> Self {
        Self(
            downloader: ImageDownloader(transport: transport),
            cache: ImageCache(disk: DiskCache.Configuration(folder: folder.file("cache"))),
            codecs: codecs
        )
    }
}
