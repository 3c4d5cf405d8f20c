internal import FoundationEssentials
internal import HalcyonRaster

/// Reads an animated PNG frame by frame.
struct PNGFrameCursor: FrameCursor {
    let info: ImageInfo?
    private let data: Data
    private let file: PNGFile
    private var sequencer: FrameSequencer
    private let depth: SampleDepth
    private let orientation: Orientation
    private let damage: DamageHandling
    let colorProfile: ColorProfile?

    init(_ data: Data, _ file: PNGFile, options: DecodeOptions) throws(CodecError) {
        self.data = data
        damage = options.damage
        self.file = file
        let (info, profile) = try data.withUnsafeBytes { bytes in
            Result { () throws(CodecError) in
                let color = try file.color(in: bytes)
                return (file.info(in: bytes, colorSpace: color.space), color.profile)
            }
        }.get()
        colorProfile = profile
        self.info = info
        orientation = options.appliedOrientation(of: info.orientation)
        depth = file.depth(for: options)
        // The frame handed out before, and the one that is turned.
        let heldBitmapCount = orientation == .up ? 1 : 2
        sequencer = try FrameSequencer(
            file,
            depth: depth,
            limits: options.limits,
            heldBitmapCount: heldBitmapCount
        )
    }

    var isPartial: Bool { sequencer.isPartial }

    mutating func bitmap(ofFrame index: Int, isCancelled: @Sendable () -> Bool) throws -> Bitmap {
        let (file, depth, damage) = (file, depth, damage)
        let bitmap = try data.withUnsafeBytes { bytes in
            try withoutActuallyEscaping(isCancelled) { isCancelled in
                let decoder = PNGStreamDecoder(bytes, file, depth: depth, damage: damage, isCancelled: isCancelled)
                return try sequencer.bitmap(ofFrame: index, isCancelled: isCancelled, decode: decoder.pixels(ofFrame:))
            }
        }
        return try bitmap.upright(orientation)
    }
}
