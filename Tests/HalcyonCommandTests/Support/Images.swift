import FoundationEssentials
import Halcyon
import HalcyonFormats
import HalcyonTesting

/// Small images, made by the project's own encoders.
enum Images {
    static let codecs = ImageCodecs.standard + [.all]

    /// An image of one colour with another one in its upper left quarter.
    static func encoded(_ format: ImageFormat, width: Int = 40, height: Int = 30) throws -> [UInt8] {
        var bitmap = try Bitmap(size: PixelSize(width, height))
        bitmap.fill(PixelRect(x: 0, y: 0, width: width, height: height), with: Color(white: 0.8))
        bitmap.fill(PixelRect(x: 0, y: 0, width: width / 2, height: height / 2), with: Color(white: 0.1))
        bitmap.isOpaque = true
        return [UInt8](try codecs.encode(bitmap, as: format))
    }

    /// What a file holds, by its header.
    static func info(_ bytes: [UInt8]) throws -> ImageInfo {
        try codecs.info(of: Data(bytes))
    }

    /// The pixels of a file.
    static func decoded(_ bytes: [UInt8]) throws -> Bitmap {
        try codecs.decode(Data(bytes)).bitmap
    }

    /// A PNG whose header is right, for any size, and whose pixel data is nonsense.
    static func pngHeader(width: Int, height: Int) -> [UInt8] {
        func word(_ value: Int) -> [UInt8] {
            [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) }
        }
        func chunk(_ kind: String, _ content: [UInt8]) -> [UInt8] {
            let covered = Array(kind.utf8) + content
            return word(content.count) + covered + word(Int(checksum(covered)))
        }
        return [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
            + chunk("IHDR", word(width) + word(height) + [8, 6, 0, 0, 0])
            + chunk("IDAT", Array("this is no zlib stream".utf8)) + chunk("IEND", [])
    }

    /// CRC-32 as PNG wants it (ISO 3309).
    private static func checksum(_ bytes: [UInt8]) -> UInt32 {
        ~bytes.reduce(UInt32.max) { state, byte in
            (0..<8).reduce(state ^ UInt32(byte)) { value, _ in value >> 1 ^ (value & 1 == 1 ? 0xEDB8_8320 : 0) }
        }
    }
}

extension OriginServer {
    /// A server on which each URL has an image of its own, told by the bytes behind its end, but for those whose paths begin
    /// with "/missing".
    static func withImages() throws -> OriginServer {
        let image = try Images.encoded(.png)
        return try OriginServer { request in
            request.path.hasPrefix("/missing") ? .init(404) : .init(body: image + Array(request.path.utf8))
        }
    }
}
