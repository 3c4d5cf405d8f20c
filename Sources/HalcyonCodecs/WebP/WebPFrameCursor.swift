internal import FoundationEssentials
internal import HalcyonRaster

/// Reads an animated WebP frame by frame.
struct WebPFrameCursor: FrameCursor {
    private let header: WebPHeader
    private var sequencer: FrameSequencer
    private let orientation: Orientation
    private let damage: DamageHandling
    let colorProfile: ColorProfile?

    var info: ImageInfo? { header.info }
    var isPartial: Bool { sequencer.isPartial }

    init(_ header: WebPHeader, options: DecodeOptions) throws(CodecError) {
        self.header = header
        damage = options.damage
        orientation = options.appliedOrientation(of: header.orientation)
        colorProfile = header.colorProfile
        // The frame handed out before, and the one that is turned.
        let heldBitmapCount = orientation == .up ? 1 : 2
        sequencer = try FrameSequencer(header, limits: options.limits, heldBitmapCount: heldBitmapCount)
    }

    mutating func bitmap(ofFrame index: Int, isCancelled: @Sendable () -> Bool) throws -> Bitmap {
        let (header, damage) = (header, damage)
        return try sequencer.bitmap(ofFrame: index, isCancelled: isCancelled) { number in
            try header.frames[number].pixels(number, on: header.size, damage: damage, isCancelled: isCancelled)
        }
        .upright(orientation)
    }
}
