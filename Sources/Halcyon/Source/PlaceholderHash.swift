internal import FoundationEssentials
internal import HalcyonCodecs
internal import HalcyonRaster

/// A hash that is an image by itself.
enum PlaceholderHash: Sendable, Hashable {
    case blurHash(String, size: PixelSize, punch: Double)
    case thumbHash(Data)
    /// Text that is no Base64, of which every load fails.
    case malformedThumbHash(String)

    /// The bytes of the hash.
    var data: Data {
        switch self {
        case .blurHash(let text, _, _), .malformedThumbHash(let text): Data(text.utf8)
        case .thumbHash(let bytes): bytes
        }
    }

    /// The decoder of these bytes, by which nothing could tell that they are a hash.
    var decoder: any ImageDecoder {
        switch self {
        case .blurHash(_, let size, let punch): BlurHashDecoder(size: size, punch: punch)
        case .thumbHash: ThumbHashDecoder(isText: false)
        case .malformedThumbHash: ThumbHashDecoder(isText: true)
        }
    }

    /// The name of the image in caches.
    var name: String {
        switch self {
        case .blurHash(let text, let size, let punch): "blurhash:\(size.width)x\(size.height):\(punch):\(text)"
        case .thumbHash(let bytes): "thumbhash:\(bytes.base64EncodedString())"
        case .malformedThumbHash(let text): "thumbhash:\(text)"
        }
    }
}

extension PlaceholderHash {
    /// Returns whether both stand for the same image. Texts are compared by their bytes, and a contrast that is no
    /// number is equal to itself, as in ``name``.
    static func == (left: PlaceholderHash, right: PlaceholderHash) -> Bool {
        switch (left, right) {
        case (.blurHash(let left, let size, let punch), .blurHash(let right, let otherSize, let otherPunch)):
            size == otherSize && (punch == otherPunch || punch.isNaN && otherPunch.isNaN)
                && ExactString.hasSameBytes(left, right)
        case (.thumbHash(let left), .thumbHash(let right)): left == right
        case (.malformedThumbHash(let left), .malformedThumbHash(let right)): ExactString.hasSameBytes(left, right)
        case (.blurHash, _), (.thumbHash, _), (.malformedThumbHash, _): false
        }
    }

    /// Hashes what equal hashes have in common; two that are no numbers may have different bits.
    func hash(into hasher: inout Hasher) {
        switch self {
        case .blurHash(let text, let size, let punch):
            hasher.combine(text)
            hasher.combine(size)
            hasher.combine(punch.isNaN ? .nan : punch)
        case .thumbHash(let bytes): hasher.combine(bytes)
        case .malformedThumbHash(let text): hasher.combine(text)
        }
    }
}

extension PlaceholderHash: CustomStringConvertible {
    /// The kind and the text of the hash, cut where it is long.
    var description: String {
        let name = name
        return name.count > 80 ? "\(name.prefix(80))…" : name
    }
}
