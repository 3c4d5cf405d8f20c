public import HalcyonCodecs

extension ImageOption {
    /// Loads with this downloader instead of the pipeline's; see ``NetworkPolicy/downloader``.
    public static func downloader(_ downloader: ImageDownloader) -> ImageOption {
        ImageOption(downloader) { $0.network.downloader = downloader }
    }

    /// Decodes and encodes with these codecs instead of the pipeline's; see ``CustomCodecs``.
    ///
    /// - Parameters:
    ///   - codecs: The decoders and encoders.
    ///   - cacheIdentity: The name of the set in caches. Default: `nil`; the option is then to be kept, as each is
    ///     another.
    public static func codecs(_ codecs: ImageCodecs, cacheIdentity: String? = nil) -> ImageOption {
        let codecs = CustomCodecs(codecs, cacheIdentity: cacheIdentity)
        return ImageOption(codecs) { $0.decode.codecs = codecs }
    }

    /// Assumes this format where the bytes do not tell theirs.
    public static func typeHint(_ format: ImageFormat) -> ImageOption {
        ImageOption(format) { $0.decode.typeHint = format }
    }

    /// Scales an image down whose bitmap would take more than `limit` bytes, instead of refusing it. Among the default
    /// options of a pipeline, it bounds the bitmaps of all of its images.
    ///
    /// - Parameter limit: Bytes of the bitmap. Default: 60 MiB, which is 15.7 megapixels.
    public static func scaleDownLargeImages(limit: Int = 60 << 20) -> ImageOption {
        ImageOption(limit) { $0.decode.largestByteCount = limit }
    }

    /// Scales an image down that has more pixels than this on a side, instead of refusing it. Among the default options
    /// of a pipeline, it bounds the bitmaps of all of its images; a request may set its own bound.
    ///
    /// - Parameter length: Pixels of the longer side.
    public static func largestSideLength(_ length: Int) -> ImageOption {
        ImageOption(length) { $0.decode.largestSideLength = length }
    }

    /// Shows this frame of a video; of no effect for images. ``Source/videoFrame(of:at:tolerance:cacheKey:)`` names a
    /// frame in the source.
    ///
    /// - Parameters:
    ///   - time: The time of the frame.
    ///   - tolerance: The frames that may stand for that one. Default:
    ///     ``VideoFrame/Tolerance/nearestKeyFrame``.
    public static func videoFrame(
        at time: VideoFrame.Time,
        tolerance: VideoFrame.Tolerance = .nearestKeyFrame
    ) -> ImageOption {
        let frame = VideoFrame(at: time, tolerance: tolerance)
        return ImageOption(frame) { $0.decode.videoFrame = frame }
    }

    /// Sets the number of pixels of a point; see ``DeliveryPolicy/scale``.
    public static func scaleFactor(_ scale: Double) -> ImageOption {
        ImageOption(scale) { $0.delivery.scale = scale }
    }

    /// Changes the image each time it is delivered, also from memory; the result is not stored.
    public static func imageModifier(_ modifier: some ImageModifying) -> ImageOption {
        let hook = Hook<any ImageModifying>(modifier, identity: modifier)
        return ImageOption(hook) { $0.delivery.modifier = hook }
    }

    /// Adds the encoded original to the response; see ``DeliveryPolicy/includesOriginalData``.
    public static var includesOriginalData: ImageOption {
        ImageOption(true) { $0.delivery.includesOriginalData = true }
    }

    /// Reports the events of the load to these observers, beside those of the pipeline; see ``LoadObserving``.
    public static func observers(_ observers: any LoadObserving...) -> ImageOption {
        let hooks = observers.map { Hook<any LoadObserving>($0, identity: $0) }
        return ImageOption(hooks) { $0.delivery.observerHooks = hooks }
    }

    /// Decodes, processes and encodes on these workers instead of the pipeline's; see ``ImageOptions/workers``.
    public static func workers(_ workers: PixelWorkers) -> ImageOption {
        ImageOption(workers) { $0.workers = workers }
    }

    /// Sets the place where the callbacks of ``ImagePipeline/loadImage(with:on:progress:completion:)`` are called.
    public static func callbackExecutor(_ executor: CallbackExecutor) -> ImageOption {
        ImageOption(executor) { $0.delivery.callbackExecutor = executor }
    }

    /// Hands out images of lower quality while the image is loaded; see ``ImageOptions/previews``.
    ///
    /// ```swift
    /// .previews([.blurHash("LEHV6nWB2yk8pyo0adR*.7kCMdnj"), .url(small)])
    /// ```
    ///
    /// What the caches have of the image itself, while its server is asked for a newer one:
    ///
    /// ```swift
    /// [.revalidate, .previews([.url(url)])]
    /// ```
    ///
    /// - Parameter sources: Their sources, from the worst to the best.
    public static func previews(_ sources: [Source]) -> ImageOption {
        ImageOption(sources) { $0.previews = sources }
    }

    /// Hands out the newest state of the image while its bytes arrive; see ``ImageOptions/progressive``.
    public static var progressive: ImageOption { .progressive(.latest) }

    /// Hands out previews of the image while its bytes arrive; see ``ImageOptions/progressive``.
    ///
    /// ```swift
    /// .progressive(ProgressivePolicy(.each, minimumInterval: .milliseconds(250)))
    /// ```
    public static func progressive(_ policy: ProgressivePolicy) -> ImageOption {
        ImageOption(policy) { $0.progressive = policy }
    }

    /// Sets a value of the program's own; see ``ImageOptionKey``.
    public static func value<Key: ImageOptionKey>(_ value: Key.Value, for key: Key.Type) -> ImageOption {
        var values = ImageOptionValues()
        values.set(value, for: key)
        return ImageOption(values) { [values] in $0.values.take(values) }
    }

    /// Takes the load through these interceptors, after those of the pipeline, the first outermost; see
    /// ``LoadIntercepting``.
    public static func interceptors(_ interceptors: any LoadIntercepting...) -> ImageOption {
        let hooks = interceptors.map { Hook<any LoadIntercepting>($0, identity: $0) }
        return ImageOption(hooks) { $0.interceptorHooks = hooks }
    }

    /// Asks these loaders for the bytes of sources, before those of the pipeline; see ``SourceLoading``.
    public static func loaders(_ loaders: any SourceLoading...) -> ImageOption {
        let hooks = loaders.map { Hook<any SourceLoading>($0, identity: $0) }
        return ImageOption(hooks) { $0.loaderHooks = hooks }
    }
}
