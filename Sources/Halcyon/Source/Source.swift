public import FoundationEssentials
public import HalcyonHTTP
internal import HalcyonSystem

/// The place that the encoded bytes of an image come from.
public struct Source: Sendable, Hashable {
    /// Names are compared by their bytes, as a server and a file system do.
    enum Location: Sendable, Hashable {
        case network(TransferRequest)
        case file(path: ExactString)
        case data(Data)
        case provider(AnyImageDataProvider)
        case inline(InlineImage)
        case thumbnail(FileThumbnail)
        case videoFile(path: ExactString)
        case invalid(url: ExactString)
    }

    let location: Location
    /// The frame that the image is of, in place of that of the options; `nil` for other sources than those of frames.
    let videoFrame: VideoFrame?
    /// The request in whose place the provider of a ``SourceLoading`` stands, and whose credential counts as it would for
    /// the server; `nil` for other sources.
    var loadedRequest: TransferRequest? { loaded?.request }
    /// The source in whose place the provider of a ``SourceLoading`` stands; `nil` for other sources. Its URL is no part
    /// of the identity: the provider names the bytes.
    let loaded: Loaded?

    /// Refers to a source that a ``SourceLoading`` loads, which most sources do not have: a request is larger than all
    /// else in a source.
    final class Loaded: Sendable {
        let url: URL?
        let request: TransferRequest?
        /// The size of the thumbnail that the source is; `nil` for other sources.
        let thumbnail: ThumbnailSize?
        /// The loader that the provider is of.
        let step: Interception.Step

        init(url: URL?, request: TransferRequest?, thumbnail: ThumbnailSize?, step: Interception.Step) {
            self.url = url
            self.request = request
            self.thumbnail = thumbnail
            self.step = step
        }
    }

    /// The name of the image in caches, in place of one derived from the location.
    ///
    /// Two sources with the same cache key are taken for the same image, even if their locations differ (a signed URL,
    /// a mirror), as long as they carry the same credential, or their options the same ``CacheScope``. A request of
    /// another method than GET, or with a body, is cached with such a key only. Default: `nil`.
    public var cacheKey: String? {
        didSet { isPlain = isPlain(withKey: cacheKey) }
    }

    /// A Boolean value that indicates whether the original's name alone is its key. A user name in a URL is looked for
    /// only where it is not in the name, as that takes longer.
    private(set) var isPlain: Bool

    init(
        _ location: Location,
        cacheKey: String?,
        videoFrame: VideoFrame? = nil,
        loaded: Loaded? = nil
    ) {
        self.location = location
        self.cacheKey = cacheKey
        self.videoFrame = videoFrame
        self.loaded = loaded
        isPlain = false
        isPlain = isPlain(withKey: cacheKey)
    }

    private func isPlain(withKey cacheKey: String?) -> Bool {
        videoFrame == nil && loadedRequest?.carriesCredential != true && loaded?.thumbnail == nil
            && Self.isPlain(location, cacheKey: cacheKey)
    }

    private static func isPlain(_ location: Location, cacheKey: String?) -> Bool {
        // The options of a thumbnail, or of a frame, are not those of its request.
        if case .thumbnail = location { return false }
        guard case .network(let request) = location else { return true }
        return request.method == .get && request.body == nil && request.headers.isEmpty && request.credential == nil
            && request.proxyCredential == nil && (cacheKey == nil || !request.carriesCredential)
    }

    /// A Boolean value that indicates whether the name is a web address, and not a cache key.
    var isNamedByAddress: Bool {
        guard case .network = location else { return false }
        return cacheKey == nil
    }

    /// The image at a URL: `http`, `https`, `file`, or `data` (RFC 2397).
    ///
    /// A URL of any other scheme, or of a file that is another computer's, makes a source whose loads fail with
    /// ``ImageError/Reason/invalidURL(_:)``.
    public static func url(_ url: URL, cacheKey: String? = nil) -> Source {
        switch url.scheme?.lowercased() {
        case "http", "https":
            return Source(.network(TransferRequest(url: url)), cacheKey: cacheKey)
        case "file":
            if let path = FilePath.text(of: url) { return .file(path, cacheKey: cacheKey) }
        case "data":
            return .dataURL(url.absoluteString, cacheKey: cacheKey)
        default:
            break
        }
        return Source(.invalid(url: ExactString(url.absoluteString)), cacheKey: cacheKey)
    }

    /// The image inside the text of a `data:` URL (RFC 2397). Unlike ``url(_:cacheKey:)`` it takes text that `URL`
    /// would not parse or would escape anew.
    public static func dataURL(_ text: String, cacheKey: String? = nil) -> Source {
        Source(.provider(AnyImageDataProvider(DataURL(text))), cacheKey: cacheKey)
    }

    /// The image that a server sends for a request with a method, headers or bounds of its own.
    ///
    /// Work is shared with requests that are equal in method, URL, headers, body and credential. Images are shared with
    /// requests for the same URL that carry the same credential, or none; see ``CacheScope``. Without a cache key, a
    /// response to another method than GET, or to a body, is not cached.
    public static func request(_ request: TransferRequest, cacheKey: String? = nil) -> Source {
        Source(.network(request), cacheKey: cacheKey)
    }

    /// The image in a file. It is read where it is and never copied into the disk cache; when the file changes, it is
    /// read again.
    public static func file(_ path: String, cacheKey: String? = nil) -> Source {
        Source(.file(path: ExactString(path)), cacheKey: cacheKey)
    }

    /// The image in a file whose path need not be UTF-8, such as one that was named by another system. It equals the
    /// source of its `file:` URL.
    public static func file(pathBytes: [UInt8], cacheKey: String? = nil) -> Source {
        .file(FilePath.text(of: pathBytes), cacheKey: cacheKey)
    }

    /// An image whose bytes are in memory. Without a cache key it is not cached.
    public static func data(_ data: Data, cacheKey: String? = nil) -> Source {
        Source(.data(data), cacheKey: cacheKey)
    }

    /// An image whose bytes come from a provider of the program.
    public static func provider(_ provider: some ImageDataProvider) -> Source {
        Source(.provider(AnyImageDataProvider(provider)), cacheKey: nil)
    }
}

extension Source: CustomStringConvertible {
    /// The URL, the path, or the kind of data; long URLs are cut.
    public var description: String {
        switch location {
        case .network(let request): request.url.absoluteString
        case .file(let path), .videoFile(let path): path.text
        case .data(let data): "\(data.count) bytes of data"
        case .provider(let provider): provider.description
        case .inline(let image): image.description
        case .thumbnail(let thumbnail): thumbnail.path.text
        case .invalid(let url): url.text
        }
    }
}

extension Source {
    /// Returns whether two sources have the same location and cache key. Names are compared by their bytes.
    public static func == (left: Source, right: Source) -> Bool {
        left.cacheKey.map(ExactString.init) == right.cacheKey.map(ExactString.init) && left.location == right.location
            && left.videoFrame == right.videoFrame && left.loadedRequest == right.loadedRequest
            && left.loaded?.thumbnail == right.loaded?.thumbnail
    }

    /// Hashes the bytes of the names that are compared. The hash of a `String` is that of all texts that are canonically
    /// equivalent to it; where it stands for the source, those would be taken for one.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(cacheKey?.utf8.count)
        hasher.combine(cacheKey.map(ExactString.init))
        hasher.combine(location)
        hasher.combine(videoFrame)
        // Nothing for other sources, which may be equal to one that a loader loads.
        if let request = loaded?.request { hasher.combine(request) }
        if let thumbnail = loaded?.thumbnail { hasher.combine(thumbnail) }
    }
}

extension Source {
    /// A Boolean value that indicates whether the source can be loaded without a network.
    var isOnThisMachine: Bool {
        switch location {
        case .network(let request): request.isForThisMachine
        case .file, .thumbnail, .videoFile, .data, .provider, .inline, .invalid: true
        }
    }
}
