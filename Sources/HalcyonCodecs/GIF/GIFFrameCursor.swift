internal import FoundationEssentials
internal import HalcyonRaster

/// Reads a GIF frame by frame.
struct GIFFrameCursor: FrameCursor {
    private let data: Data
    private var composer: GIFComposer

    var info: ImageInfo? { composer.file.info }

    init(_ data: Data, limits: DecodeLimits) throws {
        self.data = data
        do {
            let file = try data.withUnsafeBytes { bytes in try GIFFile(bytes, limits: limits) }
            // The frame handed out, the one before it, and what is to come back after it.
            let savesCanvas = file.frames.contains { $0.control.disposal == .restore }
            composer = try GIFComposer(file, limits: limits, canvasCount: savesCanvas ? 3 : 2)
        } catch let error as BitmapError {
            throw CodecError.bitmap(error)
        }
    }

    mutating func bitmap(ofFrame index: Int, isCancelled: @Sendable () -> Bool) throws -> Bitmap {
        let count = composer.file.frames.count
        guard 0..<count ~= index else {
            throw CodecError.noSuchFrame(index, frameCount: count)
        }
        do {
            return try data.withUnsafeBytes { bytes in
                try composer.picture(after: index, in: bytes, isCancelled: isCancelled)
            }
        } catch let error as BitmapError {
            throw CodecError.bitmap(error)
        }
    }
}
