internal import FoundationEssentials
internal import HalcyonCodecs
internal import HalcyonHTTP
internal import HalcyonRaster

/// The metadata stored beside a processed image, which describes its original.
struct ProcessedImageMetadata: Codable, Sendable {
    /// The information in the original's header.
    let info: ImageInfo
    /// The meaning of the samples where they are not sRGB: an ICC profile, or the numbers of primaries and transfer.
    let iccProfile: Data?
    let codePoints: [Int]?
    /// The size of the encoded original.
    let byteCount: Int
    /// The head of the original's response, as far as it decides for how long and for which requests the image may be
    /// used; `nil` if there is none.
    private(set) var response: Data?
    /// The digest of the original, as ``ContentDigest/text``; `nil` if it is not known.
    private var digest: String?
    /// The width and the height of the image where its encoding alone does not show them: that of a serializer of the
    /// program.
    var pixelSize: [Int]?
    /// A Boolean value that indicates whether the body holds exactly the pixels that the original makes, or that the
    /// program stored; `nil`, in entries of earlier versions, counts as `false`.
    var isExact: Bool?
    /// The description of an encoded form; `nil` for an image whose pixels are read.
    private(set) var encoded: Encoded?

    /// The description of an encoded form of an image.
    struct Encoded: Codable, Sendable {
        let format: ImageFormat
        let size: PixelSize
    }

    init(
        _ image: DecodedImage,
        byteCount: Int,
        validity: OriginalValidity? = nil,
        digest: ContentDigest? = nil,
        serializer: any ImageSerializing = ImageSerializer.automatic,
        isExact: Bool = false
    ) {
        if !(serializer is ImageSerializer) { pixelSize = [image.size.width, image.size.height] }
        self.isExact = isExact
        info = image.info
        switch image.colorProfile {
        case .icc(let profile)?: (iccProfile, codePoints) = (profile, nil)
        case .codePoints(let primaries, let transfer)?: (iccProfile, codePoints) = (nil, [primaries, transfer])
        case nil: (iccProfile, codePoints) = (nil, nil)
        }
        self.byteCount = byteCount
        response = validity?.response.metadata
        self.digest = digest?.text
    }

    /// The metadata of an encoded form.
    init(_ body: EncodedImageBody, byteCount: Int, validity: OriginalValidity?, digest: ContentDigest?) {
        info = body.originalInfo
        (iccProfile, codePoints) = (nil, nil)
        self.byteCount = byteCount
        response = validity?.response.metadata
        self.digest = digest?.text
        encoded = Encoded(format: body.format, size: body.size)
    }

    /// The digest of the original; `nil` if it is not known.
    var contentDigest: ContentDigest? { digest.flatMap(ContentDigest.init(text:)) }

    /// Returns the time and the requests for which the image may be used; `nil` if they are not known.
    ///
    /// - Parameter isShared: `true` where the cache answers many users.
    func validity(isShared: Bool) -> OriginalValidity? {
        response.flatMap { StoredResponse(metadata: $0, isShared: isShared) }.map(OriginalValidity.init)
    }

    /// The representation that it was made of; empty if there is one alone, or it is not known.
    var representation: String { validity(isShared: false)?.representation ?? "" }

    /// The size of the image, where its encoding alone does not show it.
    var size: PixelSize? {
        guard let pixelSize, pixelSize.count == 2, pixelSize.allSatisfy({ $0 > 0 }) else { return nil }
        return PixelSize(pixelSize[0], pixelSize[1])
    }

    /// Returns the image with these pixels.
    func image(_ bitmap: Bitmap) -> DecodedImage {
        var profile = iccProfile.map { ColorProfile.icc($0) }
        if let codePoints, codePoints.count == 2 {
            profile = .codePoints(primaries: codePoints[0], transfer: codePoints[1])
        }
        return DecodedImage(bitmap: bitmap, info: info, fullSize: bitmap.size, colorProfile: profile)
    }

    /// Creates the metadata from its encoded form; `nil` for other bytes.
    init?(_ data: Data) {
        guard let value = try? JSONDecoder().decode(Self.self, from: data) else { return nil }
        self = value
    }

    /// The metadata, encoded as JSON.
    var data: Data {
        // A value of numbers and text always encodes.
        (try? JSONEncoder().encode(self)) ?? Data()
    }
}
