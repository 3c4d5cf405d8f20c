public import FoundationEssentials
public import HalcyonCodecs

/// The result of an intercepted load, in the form in which it was asked for, or the answer of an interceptor.
///
/// An answer is an image, whatever the form. For a caller that has asked for bytes it is encoded; a prefetcher counts
/// the request as skipped.
public struct LoadResult: Sendable {
    enum Content: Sendable {
        case image(ImageResponse)
        case encodedImage(EncodedImage)
        /// The bytes, and the place that they came from.
        case original(Data, ImageResponse.Source)
        /// The place from which the caches have their entry.
        case cacheEntry(ImageResponse.Source)
    }

    let content: Content

    init(_ content: Content) {
        self.content = content
    }

    /// An answer, or a changed response.
    public init(_ response: ImageResponse) {
        content = .image(response)
    }

    /// An answer with an image, whose place is ``ImageResponse/Source/data``.
    public init(_ image: DecodedImage) {
        self.init(ImageResponse(image: image, source: .data))
    }

    /// The image as it is in the caches, before ``ImageOptions/delivery`` has an effect on it: at scale 1, and not
    /// modified. `nil` for a load of another form than ``InterceptedLoad/Form/image``.
    public var response: ImageResponse? {
        if case .image(let response) = content { response } else { nil }
    }

    /// The encoded bytes; `nil` for a load of another form than ``InterceptedLoad/Form/encodedImage``.
    public var encodedImage: EncodedImage? {
        if case .encodedImage(let image) = content { image } else { nil }
    }

    /// The bytes of the original; `nil` for a load of another form than ``InterceptedLoad/Form/original``.
    public var originalData: Data? {
        if case .original(let data, _) = content { data } else { nil }
    }

    /// The place that the result came from.
    public var source: ImageResponse.Source {
        switch content {
        case .image(let response): response.source
        case .encodedImage(let image): image.source
        case .original(_, let source): source
        case .cacheEntry(let source): source
        }
    }
}

extension LoadResult {
    /// Returns the image that a request is answered with.
    func image(for request: ImageRequest) throws(ImageError) -> ImageResponse {
        if let response { return response }
        let reason = ImageError.Reason.interceptor("an interceptor returned the result of a load of another form")
        throw ImageError(stage: .load, reason: reason, source: "\(request.source)")
    }
}
