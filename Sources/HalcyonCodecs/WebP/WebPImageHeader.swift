internal import FoundationEssentials
internal import HalcyonRaster

/// The first bytes of a coded image: lossy (RFC 6386 9.1) or lossless (RFC 9649 3.4).
struct WebPImageHeader {
    let size: PixelSize
    let hasAlpha: Bool

    /// `nil` where the chunk is cut before the header ends.
    init?(_ chunk: WebPChunks.Chunk) throws(CodecError) {
        let reader = chunk.reader
        if chunk.name == "VP8L" {
            guard let signature = reader.uint8(at: 0), let bits = reader.uint32(at: 1) else {
                try Self.checkCut(chunk)
                return nil
            }
            guard signature == 0x2f, bits >> 29 == 0 else {
                throw .corrupt(.webp, reason: "no signature of a lossless image")
            }
            size = PixelSize((bits & 0x3fff) + 1, (bits >> 14 & 0x3fff) + 1)
            hasAlpha = bits >> 28 & 1 == 1
        } else {
            guard let tag = reader.uint24(at: 0), let startCode = reader.uint24(at: 3),
                let width = reader.uint16(at: 6), let height = reader.uint16(at: 8)
            else {
                try Self.checkCut(chunk)
                return nil
            }
            guard tag & 1 == 0, startCode == 0x2a_01_9d else {
                throw .corrupt(.webp, reason: "no key frame")
            }
            // The upper two bits ask for scaling when shown, which no viewer does.
            size = PixelSize(width & 0x3fff, height & 0x3fff)
            hasAlpha = false
            guard !size.isEmpty else {
                throw .corrupt(.webp, reason: "an image of \(size) pixels")
            }
        }
    }

    private static func checkCut(_ chunk: WebPChunks.Chunk) throws(CodecError) {
        if !chunk.isCutShort {
            throw .corrupt(.webp, reason: "the \(chunk.name) chunk is too short")
        }
    }
}
