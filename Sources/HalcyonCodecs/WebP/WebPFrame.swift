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
    /// `nil` where there is none, or its header is damaged or missing.
    let image: WebPBitstream?
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
        var chunks = WebPChunks(frame: reader.bytes(at: 16, count: reader.count - 16) ?? Data())
        var alpha: Data?
        var image: WebPBitstream?
        while image == nil, let next = chunks.next() {
            switch next.name {
            case "ALPH":
                alpha = alpha ?? next.reader.data
            case "VP8 ", "VP8L":
                // Damage shows when the frame is decoded, not before.
                image = (try? WebPBitstream(next, alpha: alpha)) ?? nil
            default:
                break
            }
        }
        self.image = image
    }
}
