internal import FoundationEssentials
internal import HalcyonRaster

/// Reads a GIF frame by frame.
struct GIFFrameCursor: FrameCursor {
    private let data: Data
    private let decoder: GIFFrameDecoder
    private var sequencer: FrameSequencer

    var info: ImageInfo? { decoder.file.info }

    var isPartial: Bool { sequencer.isPartial }

    init(_ data: Data, options: DecodeOptions) throws(CodecError) {
        let limits = options.limits
        self.data = data
        let file = try data.withUnsafeBytes { bytes in
            Result { () throws(CodecError) -> GIFFile in try GIFFile(bytes, limits: limits) }
        }
        .get()
        // The frame handed out before.
        sequencer = try FrameSequencer(file, limits: limits, heldBitmapCount: 1)
        do {
            decoder = try GIFFrameDecoder(file, damage: options.damage)
        } catch {
            throw .bitmap(error)
        }
    }

    mutating func bitmap(ofFrame index: Int, isCancelled: @Sendable () -> Bool) throws -> Bitmap {
        let decoder = decoder
        return try data.withUnsafeBytes { bytes in
            try sequencer.bitmap(ofFrame: index, isCancelled: isCancelled) { number in
                try decoder.pixels(ofFrame: number, in: bytes, isCancelled: isCancelled)
            }
        }
    }
}
