internal import FoundationEssentials
internal import HalcyonCodecs

/// What is stored beside a processed image: what its original was.
struct ProcessedImageMetadata: Codable, Sendable {
    /// What the original's header said.
    let info: ImageInfo
    /// The size of the encoded original.
    let byteCount: Int

    init(info: ImageInfo, byteCount: Int) {
        self.info = info
        self.byteCount = byteCount
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
