internal import FoundationEssentials
internal import HalcyonCodecs
internal import HalcyonHTTP
internal import HalcyonRaster

/// What is stored beside a processed image: what its original was.
struct ProcessedImageMetadata: Codable, Sendable {
    /// What the original's header said.
    let info: ImageInfo
    /// What the samples mean where they are not sRGB: an ICC profile, or the numbers of primaries and transfer.
    let iccProfile: Data?
    let codePoints: [Int]?
    /// The size of the encoded original.
    let byteCount: Int
    /// When the original's server has to be asked again, as far as it said.
    let freshUntil: Date?
    /// The head of the original's response, as far as it says anything about the use of the image.
    let response: Data?

    init(_ image: DecodedImage, byteCount: Int, validity: OriginalValidity? = nil) {
        info = image.info
        switch image.colorProfile {
        case .icc(let profile)?: (iccProfile, codePoints) = (profile, nil)
        case .codePoints(let primaries, let transfer)?: (iccProfile, codePoints) = (nil, [primaries, transfer])
        case nil: (iccProfile, codePoints) = (nil, nil)
        }
        self.byteCount = byteCount
        freshUntil = validity?.freshUntil
        response = validity?.response?.metadata
    }

    /// For how long and for whom the image may be used.
    var validity: OriginalValidity? {
        OriginalValidity(freshUntil: freshUntil, response: response.flatMap { StoredResponse(metadata: $0) })
    }

    /// Whether the image answers a request, which is `nil` if it goes to no server.
    func matches(_ request: TransferRequest?) -> Bool {
        guard let response else { return true }
        guard let head = StoredResponse(metadata: response) else { return false }
        return !head.isVarying || request.map(head.matches) ?? false
    }

    /// The image, with these pixels.
    func image(_ bitmap: Bitmap) -> DecodedImage {
        var profile = iccProfile.map { ColorProfile.icc($0) }
        if let codePoints, codePoints.count == 2 {
            profile = .codePoints(primaries: codePoints[0], transfer: codePoints[1])
        }
        return DecodedImage(bitmap: bitmap, info: info, fullSize: bitmap.size, colorProfile: profile)
    }

    /// `nil` for bytes that are no such description.
    init?(_ data: Data) {
        guard let value = try? JSONDecoder().decode(Self.self, from: data) else { return nil }
        self = value
    }

    /// JSON.
    var data: Data {
        // A value of numbers and text always encodes.
        (try? JSONEncoder().encode(self)) ?? Data()
    }
}
