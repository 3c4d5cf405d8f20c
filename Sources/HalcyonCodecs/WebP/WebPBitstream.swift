internal import FoundationEssentials
internal import HalcyonRaster

/// The coded image of a file or of a frame: the chunks that were measured, and nothing else of the file.
///
/// libwebp searches what it is given for an image by rules of its own, down to bytes without any chunk. So it gets a
/// file that is made of these chunks only, and can find no other image than the one whose size was checked.
struct WebPBitstream {
    let size: PixelSize
    let hasAlpha: Bool
    /// A Boolean value that indicates whether the image is coded without loss.
    let isLossless: Bool
    /// The image data, as far as they exist.
    let payload: Data
    /// The bytes of the image data as their chunk says.
    let byteCount: Int
    private let alpha: Data?

    /// Far beyond every image, so that no size below needs more than 32 bits.
    private static let greatestByteCount = 1 << 30

    /// - Parameters:
    ///   - chunk: The chunk "VP8 " or "VP8L".
    ///   - alpha: The payload of the chunk ALPH before it. Lossless images have their alpha inside.
    /// - Returns: `nil` where the chunk is cut before its header ends.
    init?(_ chunk: WebPChunks.Chunk, alpha: Data?) throws(CodecError) {
        guard let header = try WebPImageHeader(chunk) else {
            return nil
        }
        size = header.size
        isLossless = chunk.name == "VP8L"
        self.alpha = isLossless ? nil : alpha?.prefix(Self.greatestByteCount)
        hasAlpha = header.hasAlpha || self.alpha != nil
        payload = chunk.reader.data.prefix(Self.greatestByteCount)
        byteCount = min(chunk.byteCount, Self.greatestByteCount)
    }

    /// A Boolean value that indicates whether the file ends before the image data do.
    var isCutShort: Bool { payload.count < byteCount }

    /// The file of these chunks, as far as the image data exist.
    var file: Data { beginning + payload }

    /// What stands in ``file`` before the image data.
    var beginning: Data {
        var chunks = Data("WEBP".utf8)
        if let alpha {
            let extent = Self.little(size.width - 1).prefix(3) + Self.little(size.height - 1).prefix(3)
            chunks += Data("VP8X".utf8) + Self.little(10) + [0x10, 0, 0, 0] + extent
            chunks += Data("ALPH".utf8) + Self.little(alpha.count) + alpha + Data(count: alpha.count % 2)
        }
        chunks += Data((isLossless ? "VP8L" : "VP8 ").utf8) + Self.little(byteCount)
        return Data("RIFF".utf8) + Self.little(chunks.count + byteCount + byteCount % 2) + chunks
    }

    private static func little(_ value: Int) -> Data {
        Data((0..<4).map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) })
    }
}
