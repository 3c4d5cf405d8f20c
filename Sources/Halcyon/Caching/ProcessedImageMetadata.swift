internal import FoundationEssentials
internal import HalcyonCodecs
internal import HalcyonHTTP

/// What is stored beside a processed image: what its original was.
struct ProcessedImageMetadata: Codable, Sendable {
    /// What the original's header said.
    let info: ImageInfo
    /// The size of the encoded original.
    let byteCount: Int
    /// When the original's server has to be asked again, as far as it said.
    let freshUntil: Date?
    /// The head of the original's response, as far as it says anything about the use of the image.
    let response: Data?

    init(info: ImageInfo, byteCount: Int, validity: OriginalValidity? = nil) {
        self.info = info
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
