public import FoundationEssentials
internal import HalcyonRaster

/// Reads PNG and animated PNG (W3C PNG, third edition): all colour types and depths, interlaced or not, and Apple's
/// CgBI variant.
///
/// Of a damaged image, the rows before the damage are shown, the others are transparent; those of an interlaced image as
/// coarsely as they are there. Checksums are no error as long as there are pixels. The chunks before the image must be
/// sound, but for ancillary ones.
///
/// Samples of 16 bits become 8 by their high byte, or stay with ``DecodeOptions/keepsSixteenBits``, in frames as well,
/// which are composed with as many. ``DecodeOptions/frame`` 0 is the default image, also where the file does not make
/// it part of its animation; frames from 1 on are those of the animation, composed on their canvas.
public struct PNGDecoder: ImageDecoder, ConfinableDecoder {
    /// A decoder; it has no settings.
    public init() {}

    /// PNG.
    public var format: ImageFormat { .png }

    package var confinement: DecoderConfinement { .ownCode }

    /// Returns whether the eight bytes of PNG's signature are there.
    public func recognizes(_ prefix: Data) -> Bool {
        prefix.starts(with: PNGChunkReader.signature)
    }

    /// Reads size, depth, colour, orientation and the timing of frames, without decompressing a pixel.
    ///
    /// Linear in the number of chunks, of which at most 131,072 are walked. Of a file that is cut short behind its
    /// first IDAT, the frames that are there count. An animation is cut behind ``DecodeLimits/frameCount``.
    ///
    /// - Throws: ``CodecError/empty``, ``CodecError/truncated(_:)`` where IDAT is not reached,
    ///   ``CodecError/corrupt(_:reason:)``.
    public func info(of data: Data, limits: DecodeLimits) throws(CodecError) -> ImageInfo {
        let result = data.withUnsafeBytes { bytes in
            Result { () throws(CodecError) -> ImageInfo in
                try PNGFile(bytes, limits: limits, checksImageData: false).info(in: bytes)
            }
        }
        return try result.get()
    }

    /// Decodes the default image or a frame.
    ///
    /// - Throws: ``CodecError``, or `CancellationError`.
    public func decode(
        _ data: Data,
        options: DecodeOptions,
        isCancelled: @Sendable () -> Bool
    ) throws -> DecodedImage {
        do {
            return try data.withUnsafeBytes { bytes in
                let file = try PNGFile(
                    bytes,
                    limits: options.limits,
                    checksImageData: true,
                    damage: options.damage
                )
                let color = try file.color(in: bytes)
                let info = file.info(in: bytes, colorSpace: color.space)
                let orientation = options.appliedOrientation(of: info.orientation)
                try check(file, turned: orientation != .up, options)
                let (bitmap, isPartial) = try withoutActuallyEscaping(isCancelled) { isCancelled in
                    try pixels(bytes, file, options, turned: orientation != .up, isCancelled)
                }
                return DecodedImage(
                    bitmap: try bitmap.oriented(orientation),
                    info: info,
                    fullSize: orientation.displaySize(of: info.size),
                    colorProfile: color.profile,
                    isPartial: isPartial
                )
            }
        } catch let error as BitmapError {
            throw CodecError.bitmap(error)
        }
    }

    /// Opens the animation, or the default image where there is none. Of a file whose default image is no frame,
    /// frame 0 is the animation's first.
    ///
    /// - Throws: ``CodecError``.
    public func cursor(for data: Data, options: DecodeOptions) throws -> sending any FrameCursor {
        let file = try data.withUnsafeBytes { bytes in
            try PNGFile(bytes, limits: options.limits, checksImageData: true, damage: options.damage)
        }
        guard file.isAnimated else {
            return IndependentFrames(decoder: self, data: data, options: options)
        }
        return try PNGFrameCursor(data, file, options: options)
    }

    /// Refuses what is too large before any memory is taken for it. Frames are checked where they are composed.
    private func check(_ file: PNGFile, turned: Bool, _ options: DecodeOptions) throws(CodecError) {
        let size = file.header.size
        let limits = options.limits
        try limits.check(size, of: .png)
        let frameCount = max(1, file.frames.count)
        guard options.frame >= 0, options.frame < frameCount else {
            throw .noSuchFrame(options.frame, frameCount: frameCount)
        }
        guard !file.composesFrame(for: options) else {
            return
        }
        let depth = file.depth(for: options)
        // Turning it needs the bitmap a second time.
        try limits.checkMemory(
            PNGStreamDecoder.memory(for: size, ranges: file.imageRanges, header: file.header, depth: depth),
            turned ? size.bitmapByteCount(depth: depth) : 0,
            of: .png
        )
    }

    private func pixels(
        _ bytes: UnsafeRawBufferPointer,
        _ file: PNGFile,
        _ options: DecodeOptions,
        turned: Bool,
        _ isCancelled: @escaping @Sendable () -> Bool
    ) throws -> (bitmap: Bitmap, isPartial: Bool) {
        // Frames are composed of premultiplied pixels.
        let composesFrame = file.composesFrame(for: options)
        let premultiplies = options.premultiplies || composesFrame
        let depth = file.depth(for: options)
        let decoder = PNGStreamDecoder(
            bytes,
            file,
            depth: depth,
            premultiplies: premultiplies,
            damage: options.damage,
            isCancelled: isCancelled
        )
        guard composesFrame else {
            return try decoder.decode(file.imageRanges, size: file.header.size, chunkName: "IDAT")
        }
        // As for a cursor, so that an animation that cannot be played is refused here as well.
        var sequencer = try FrameSequencer(
            file,
            depth: depth,
            limits: options.limits,
            heldBitmapCount: turned ? 2 : 1
        )
        let bitmap = try sequencer.bitmap(
            ofFrame: options.frame,
            isCancelled: isCancelled,
            decode: decoder.pixels(ofFrame:)
        )
        return (bitmap, sequencer.isPartial)
    }
}
