public import FoundationEssentials
public import HalcyonCodecs

extension Source {
    /// A frame of the video at a URL: `http`, `https`, `file` or `data`.
    ///
    /// ```swift
    /// let frame = Source.videoFrame(of: movie, at: .seconds(12.5))
    /// let request = ImageRequest(frame, options: [.processor(.downsample(to: .pixels(400, 300)))])
    /// let image = try await pipeline.image(from: request)
    /// ```
    ///
    /// A file is read where it is, as much of it as the frame takes; it may have any size. A video from a server is
    /// loaded whole, within ``TransferLimits/bodyBytes``. The frame is kept in memory and on disk as the result of
    /// processors is, as a JPEG by default (``ImageSerializer/automatic``), and made anew when the file changes; a
    /// video from a server is stored as well with ``ImageOption/cacheOriginalImage``. Where the video is an original on
    /// disk anyway, other frames of it need no server. ``ImageOption/includesOriginalData`` adds nothing for a file.
    ///
    /// Videos are read by the product `HalcyonVideo`, once it is registered (``ImageCodecs/register(_:)``); before, loads fail
    /// with ``CodecError/unregistered(_:)``. Loads of ``Source/url(_:cacheKey:)`` and other sources also accept videos then;
    /// ``ImageOption/videoFrame(at:tolerance:)`` says which frame they show.
    ///
    /// - Parameters:
    ///   - url: The URL of the video.
    ///   - time: The time of the frame. Default: ``VideoFrame/Time/representative``.
    ///   - tolerance: The frames that may stand for that one. Default:
    ///     ``VideoFrame/Tolerance/nearestKeyFrame``.
    ///   - cacheKey: The name of the video in caches, in place of one derived from the URL, or from the state of the
    ///     file. Frames of one video have different keys all the same. Default: `nil`.
    public static func videoFrame(
        of url: URL,
        at time: VideoFrame.Time = .representative,
        tolerance: VideoFrame.Tolerance = .nearestKeyFrame,
        cacheKey: String? = nil
    ) -> Source {
        .videoFrame(of: .url(url, cacheKey: cacheKey), VideoFrame(at: time, tolerance: tolerance))
    }

    /// A frame of the video of another source, such as a request with credentials of its own, or a provider; see
    /// ``videoFrame(of:at:tolerance:cacheKey:)``.
    ///
    /// - Parameters:
    ///   - source: The source of the video.
    ///   - frame: The frame.
    public static func videoFrame(of source: Source, _ frame: VideoFrame) -> Source {
        var location = source.location
        if case .file(let path) = location { location = .videoFile(path: path) }
        return Source(location, cacheKey: source.cacheKey, videoFrame: frame, loaded: source.loaded)
    }

    /// A Boolean value that indicates whether what is decoded are the bytes of the source.
    var hasEncodedBytes: Bool {
        switch location {
        case .videoFile, .inline(.pixels): false
        default: true
        }
    }

    /// A Boolean value that indicates whether the disk cache keeps what is made of the source. An image in a file is
    /// read again about as fast, a frame of a video is not, and pixels may not be there any more.
    var keepsResultsOnDisk: Bool { isCachedOnDisk || !hasEncodedBytes }

    /// The source of the same bytes, whatever is made of them.
    fileprivate var ofBytes: Source {
        guard videoFrame != nil else { return self }
        if case .videoFile(let path) = location { return .file(path.text, cacheKey: cacheKey) }
        return Source(location, cacheKey: cacheKey, loaded: loaded)
    }
}

extension ImageRequest {
    /// The request for the bytes of the sources, whatever is made of them.
    var ofBytes: ImageRequest {
        var request = ImageRequest(source.ofBytes, exactly: options)
        guard options.recovery.hasOtherSources else { return request }
        request.options.recovery.alternatives = options.recovery.alternatives.map(\.ofBytes)
        request.options.recovery.lowDataSource = options.recovery.lowDataSource?.ofBytes
        return request
    }
}

extension VideoFrame {
    /// Returns the options for an image of this frame. The frame itself is the result of a processor, which has a place
    /// of its own on disk: finding and decoding it takes longer than reading it there.
    func options(from options: ImageOptions) -> ImageOptions {
        var options = options
        options.decode.videoFrame = self
        if options.processing.isIdentity { options.processing = ImageProcessorChain(VideoFrameProcessor()) }
        return options
    }

    /// Returns the codecs for a frame of a file, which read from there.
    static func codecs(ofFile path: String, over codecs: ImageCodecs) -> ImageCodecs {
        let decoder = codecs.decoders.lazy.compactMap { $0 as? any FileReadingDecoder }.first
        guard let decoder else {
            return ImageCodecs(decoders: [UnregisteredVideoDecoder()], encoders: codecs.encoders)
        }
        let reader = decoder.reading(fileAt: path) { descriptor in
            Data(try FileReader.identity(ofOpen: descriptor).key(of: path).utf8)
        }
        var result = ImageCodecs(decoders: [reader], encoders: codecs.encoders)
        result.isolation = codecs.isolation
        return result
    }

    func encodeIdentity(into encoder: inout CacheKeyEncoder) {
        switch time {
        case .representative: encoder.encode("representative")
        case .first: encoder.encode("first")
        case .seconds(let seconds):
            encoder.encode("seconds")
            encoder.encode(seconds)
        case .fraction(let fraction):
            encoder.encode("fraction")
            encoder.encode(fraction)
        }
        encoder.encode(tolerance.rawValue)
    }
}

/// The processor that makes a frame, which is made already, a result.
struct VideoFrameProcessor: ImageProcessing {
    var scalesWithImage: Bool { true }

    func encodeParameters(into encoder: inout CacheKeyEncoder) {}

    func process(_ image: DecodedImage, isCancelled: @Sendable () -> Bool) -> DecodedImage { image }
}

/// The decoder of frames where none is registered.
private struct UnregisteredVideoDecoder: ImageDecoder {
    var format: ImageFormat { .mp4 }

    func recognizes(_ prefix: Data) -> Bool { true }

    func info(of data: Data, limits: DecodeLimits) throws(CodecError) -> ImageInfo { throw .unregistered(.mp4) }

    func decode(_ data: Data, options: DecodeOptions, isCancelled: @Sendable () -> Bool) throws -> DecodedImage {
        throw CodecError.unregistered(.mp4)
    }
}
