internal import FoundationEssentials
internal import Halcyon
internal import ServerURLs

/// What `/info` says of an image.
struct ImageDescription: Codable, Hashable {
    var format: String
    var width: Int
    var height: Int
    var orientation: Int
    var frames: Int
    var isAnimated: Bool
    /// In milliseconds.
    var frameDurations: [Int]?
    var loopCount: Int?
    var bitDepth: Int
    var hasAlpha: Bool
    var colorSpace: String
    var bytes: Int
    /// In Base64.
    var thumbHash: String

    /// - Parameter image: The ThumbHash of the image.
    init(_ image: EncodedImage) {
        let info = image.originalInfo
        format = info.format.rawValue
        width = info.displaySize.width
        height = info.displaySize.height
        orientation = Int(info.orientation.rawValue)
        frames = info.frameCount
        isAnimated = info.isAnimated
        frameDurations = info.isAnimated ? info.frameDurations : nil
        loopCount = info.loopCount
        bitDepth = info.bitDepth
        hasAlpha = info.hasAlpha
        colorSpace = info.colorSpace.description
        bytes = image.originalByteCount
        thumbHash = image.data.base64EncodedString()
    }

    var json: Data {
        get throws {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
            return try encoder.encode(self)
        }
    }
}

/// Strong entity tags of bytes that have none.
enum EntityTag {
    /// Returns the tag of bytes: FNV-1a over words of 64 bits, and their number.
    static func text(of bytes: Data) -> String {
        let hash = bytes.withUnsafeBytes { bytes in
            var hash: UInt64 = 0xCBF2_9CE4_8422_2325
            func add(_ word: UInt64) {
                hash = (hash ^ word) &* 0x0000_0100_0000_01B3
                // The product carries upwards alone.
                hash ^= hash >> 32
            }
            let wholeCount = bytes.count / 8 * 8
            for at in stride(from: 0, to: wholeCount, by: 8) {
                add(UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: at, as: UInt64.self)))
            }
            for byte in bytes[wholeCount...] { add(UInt64(byte)) }
            return hash
        }
        return "\"\(String(hash, radix: 16))-\(String(bytes.count, radix: 16))\""
    }
}

/// The name under which a browser saves an image (RFC 6266).
struct ContentDisposition {
    let text: String

    init(_ plan: ImagePlan, fileExtension: String) {
        let stem = plan.delivery.stem ?? Self.stem(of: plan.source)
        // A name of the URL is that of an image.
        let own = plan.isOfImage ? plan.delivery.filename : nil
        let name = own ?? stem + "." + (fileExtension == "jpeg" ? "jpg" : fileExtension)
        let shown = String(
            name.unicodeScalars.filter { $0.value >= 0x20 && $0.value != 0x7F && $0 != "/" && $0 != "\\" }
                .map { Character($0) }
        )
        let kind = plan.delivery.isAttachment ? "attachment" : "inline"
        let plain = String(shown.map { $0.isASCII && $0 != "\"" && $0 != "%" ? $0 : "_" })
        guard plain != shown else {
            text = "\(kind); filename=\"\(plain)\""
            return
        }
        let escaped = shown.utf8.map { byte -> String in
            let isPlain = (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
            return isPlain || byte == 0x2E || byte == 0x2D || byte == 0x5F
                ? String(Unicode.Scalar(byte)) : (byte < 16 ? "%0" : "%") + String(byte, radix: 16, uppercase: true)
        }
        text = "\(kind); filename=\"\(plain)\"; filename*=UTF-8''\(escaped.joined())"
    }

    /// Returns the last part of a path, without its extension.
    private static func stem(of source: String) -> String {
        let path = source.prefix { $0 != "?" && $0 != "#" }
        let last = path.split(separator: "/").last.map(String.init) ?? "image"
        let stem = last.split(separator: ".").dropLast().joined(separator: ".")
        return stem.isEmpty ? last : stem
    }
}
