internal import FoundationEssentials
internal import HalcyonRaster

/// Reads an animated PNG frame by frame.
struct PNGFrameCursor: FrameCursor {
    let info: ImageInfo?
    private let data: Data
    private var composer: PNGComposer
    private let orientation: Orientation
    let colorProfile: ColorProfile?

    init(_ data: Data, _ file: PNGFile, options: DecodeOptions) throws(CodecError) {
        self.data = data
        let (info, profile) = data.withUnsafeBytes { bytes in
            let color = file.color(in: bytes)
            return (file.info(in: bytes, colorSpace: color.space), color.profile)
        }
        colorProfile = profile
        self.info = info
        orientation = options.appliesOrientation ? info.orientation : .up
        try options.limits.check(file.header.size, of: .png)
        let depth = file.depth(for: options)
        try options.limits.checkMemory(
            PNGComposer.memory(for: file, depth: depth),
            orientation == .up ? 0 : file.header.size.bitmapByteCount(depth: depth),
            of: .png
        )
        composer = PNGComposer(file, depth: depth)
    }

    mutating func bitmap(ofFrame index: Int, isCancelled: @Sendable () -> Bool) throws -> Bitmap {
        let count = composer.file.frames.count
        guard 0..<count ~= index else {
            throw CodecError.noSuchFrame(index, frameCount: count)
        }
        do {
            let picture = try data.withUnsafeBytes { bytes in
                try withoutActuallyEscaping(isCancelled) { isCancelled in
                    try composer.picture(
                        after: index,
                        PNGPictureDecoder(bytes, composer.file, depth: composer.depth, isCancelled: isCancelled)
                    )
                }
            }
            return try picture.oriented(orientation)
        } catch let error as BitmapError {
            throw CodecError.bitmap(error)
        }
    }
}
