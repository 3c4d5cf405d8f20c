public import FoundationEssentials
internal import HalcyonRaster

/// Reads GIF 87a and 89a.
///
/// Images look as browsers show them: the area that no frame covers is transparent, the canvas is the logical screen,
/// made larger where the first frame reaches beyond it, and other frames are cut at its edge. What a damaged frame lacks
/// is transparent, if a row of the first is there. A frame that is cut short behind the first counts as none.
public struct GIFDecoder: ImageDecoder, ConfinableDecoder {
    /// The bytes of a file that are looked at for its description.
    private static let walkedByteCount = 32 << 20

    /// A decoder; it has no settings.
    public init() {}

    /// GIF.
    public var format: ImageFormat { .gif }

    package var confinement: DecoderConfinement { .ownCode }

    /// Returns whether "GIF87a" or "GIF89a" is there.
    public func recognizes(_ prefix: Data) -> Bool {
        GIFFile.signatures.contains { prefix.starts(with: $0) }
    }

    /// Reads size, frames, durations and the number of repetitions by walking the blocks, without decompressing.
    ///
    /// Linear in the number of sub-blocks, of which at most 4,194,304 are walked, in the first 32 MiB of the file. Frames
    /// behind those, and behind ``DecodeLimits/frameCount``, are not counted, see ``ImageInfo/isFrameCountExact``. Durations are as stored, in steps of 10 ms, 0 included. An animation that
    /// does not say how often it is repeated has a ``ImageInfo/loopCount`` of 1.
    ///
    /// - Throws: ``CodecError/empty``, ``CodecError/truncated(_:)`` where the first image is not reached,
    ///   ``CodecError/corrupt(_:reason:)``.
    public func info(of data: Data, limits: DecodeLimits) throws(CodecError) -> ImageInfo {
        let result = data.withUnsafeBytes { bytes in
            Result { () throws(CodecError) -> ImageInfo in
                let beginning = UnsafeRawBufferPointer(rebasing: bytes.prefix(Self.walkedByteCount))
                let file = try GIFFile(beginning, limits: limits)
                var info = file.info
                info.isFrameCountExact = file.hasAllFrames && (file.hasEnd || beginning.count == bytes.count)
                if !info.isFrameCountExact { info.file.hasEnd = nil }
                return info
            }
        }
        return try result.get()
    }

    /// Decodes a frame, composed with those before it. Linear in the number of frames up to it.
    ///
    /// - Throws: ``CodecError``, or `CancellationError`.
    public func decode(
        _ data: Data,
        options: DecodeOptions,
        isCancelled: @Sendable () -> Bool
    ) throws -> DecodedImage {
        do {
            return try data.withUnsafeBytes { bytes in
                let file = try GIFFile(bytes, limits: options.limits)
                guard file.frames.indices.contains(options.frame) else {
                    throw CodecError.noSuchFrame(options.frame, frameCount: file.frames.count)
                }
                var sequencer = try FrameSequencer(file, limits: options.limits, heldBitmapCount: 0)
                try sequencer.check(0..<options.frame + 1)
                let decoder = try GIFFrameDecoder(file, damage: options.damage)
                let bitmap = try sequencer.bitmap(ofFrame: options.frame, isCancelled: isCancelled) { number in
                    try decoder.pixels(ofFrame: number, in: bytes, isCancelled: isCancelled)
                }
                return DecodedImage(bitmap: bitmap, info: file.info, isPartial: sequencer.isPartial)
            }
        } catch let error as BitmapError {
            throw CodecError.bitmap(error)
        }
    }

    /// Opens an animation; a frame costs its own decompression and a copy of what it leaves visible of the one before.
    ///
    /// - Throws: ``CodecError``.
    public func cursor(for data: Data, options: DecodeOptions) throws -> sending any FrameCursor {
        try GIFFrameCursor(data, options: options)
    }
}
