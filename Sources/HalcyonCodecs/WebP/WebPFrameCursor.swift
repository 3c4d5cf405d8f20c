internal import FoundationEssentials
internal import HalcyonRaster

/// Reads an animated WebP frame by frame.
struct WebPFrameCursor: FrameCursor {
    private var composer: WebPComposer
    private let orientation: Orientation
    let colorProfile: ColorProfile?

    var info: ImageInfo? { composer.header.info }

    init(_ header: WebPHeader, options: DecodeOptions) throws(CodecError) {
        orientation = options.appliesOrientation ? header.orientation : .up
        colorProfile = header.colorProfile
        try options.limits.check(header.size, of: .webp)
        let canvas = header.size.bitmapByteCount
        // The frame handed out, the one before it, libwebp's own copy of a lossless frame, and an area of the canvas.
        try options.limits.checkMemory(canvas, canvas, canvas, canvas, of: .webp)
        composer = WebPComposer(header)
    }

    mutating func bitmap(ofFrame index: Int, isCancelled: @Sendable () -> Bool) throws -> Bitmap {
        let count = composer.header.frames.count
        guard 0..<count ~= index else {
            throw CodecError.noSuchFrame(index, frameCount: count)
        }
        return try composer.picture(after: index, isCancelled: isCancelled).upright(orientation)
    }
}
