internal import FoundationEssentials
internal import HalcyonRaster

/// One frame of an animation: its ANMF chunk (RFC 9649 2.7.1.1, figure 9).
struct WebPFrame {
    let left: Int
    let top: Int
    let size: PixelSize
    /// Milliseconds.
    let duration: Int
    /// A Boolean value that indicates whether the frame is laid over what is there instead of replacing it.
    let blends: Bool
    let disposal: FrameDescription.Disposal
    /// The image's chunks, from an optional ALPH on; empty where there is none.
    let data: Data
    /// The size that the image's own header says; `nil` where that is not there.
    let imageSize: PixelSize?
    let hasAlpha: Bool
    let isLossless: Bool
    /// A Boolean value that indicates whether the file ends before the frame does.
    let isCutShort: Bool

    /// `nil` where the chunk ends before its own fields do.
    init?(_ chunk: WebPChunks.Chunk) {
        let reader = chunk.reader
        guard let left = reader.uint24(at: 0), let top = reader.uint24(at: 3), let width = reader.uint24(at: 6),
            let height = reader.uint24(at: 9), let duration = reader.uint24(at: 12), let flags = reader.uint8(at: 15)
        else {
            return nil
        }
        self.left = 2 * left
        self.top = 2 * top
        size = PixelSize(width + 1, height + 1)
        self.duration = duration
        blends = flags & 2 == 0
        disposal = flags & 1 == 0 ? .keep : .clear
        isCutShort = chunk.isCutShort
        data = reader.bytes(at: 16, count: max(0, reader.count - 16)) ?? Data()
        var chunks = WebPChunks(chunks: data)
        var hasAlphaChunk = false
        var imageHeader: WebPImageHeader?
        var isLossless = false
        while imageHeader == nil, let next = chunks.next() {
            switch next.name {
            case "ALPH":
                hasAlphaChunk = true
            case "VP8 ", "VP8L":
                isLossless = next.name == "VP8L"
                // Damage shows when the frame is decoded, not before.
                imageHeader = (try? WebPImageHeader(next)) ?? nil
            default:
                break
            }
        }
        imageSize = imageHeader?.size
        hasAlpha = hasAlphaChunk || imageHeader?.hasAlpha == true
        self.isLossless = isLossless
    }
}
