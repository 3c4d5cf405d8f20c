public import FoundationEssentials
internal import HalcyonRaster

/// Reads WebP (RFC 9649): lossy, lossless, with alpha, and each frame of animations, composed with those before it.
///
/// The target size does not matter: libwebp decodes all of an image in any case, and its own scaling (16.9 ms against
/// 19.9 ms for 2 megapixels to 400 pixels) costs quality.
public struct WebPDecoder: ImageDecoder, ConfinableDecoder {
    /// A decoder.
    public init() {}

    /// ``ImageFormat/webp``.
    public var format: ImageFormat { .webp }

    package var confinement: DecoderConfinement { .library }

    /// Returns whether the bytes start with "RIFF", a size, and "WEBP".
    public func recognizes(_ prefix: Data) -> Bool {
        ImageFormat.detect(prefix) == .webp
    }

    /// Reads the chunk headers. The orientation stands behind the image data, so that the beginning of a file cannot
    /// tell it.
    ///
    /// - Throws: ``CodecError/truncated(_:)`` where the bytes end before the size of the image,
    ///   ``CodecError/corrupt(_:reason:)``.
    public func info(of data: Data, limits: DecodeLimits) throws(CodecError) -> ImageInfo {
        guard !data.isEmpty else {
            throw .empty
        }
        return try WebPHeader(parsing: data, maximumFrameCount: limits.frameCount).info
    }

    /// Decodes one frame.
    public func decode(
        _ data: Data,
        options: DecodeOptions,
        isCancelled: @Sendable () -> Bool
    ) throws -> DecodedImage {
        guard !data.isEmpty else {
            throw CodecError.empty
        }
        let header = try WebPHeader(parsing: data, maximumFrameCount: options.limits.frameCount)
        try options.limits.check(header.size, of: .webp)
        let bitmapByteCount = header.size.bitmapByteCount
        let orientation = options.appliedOrientation(of: header.orientation)
        let orientedByteCount = orientation == .up ? 0 : bitmapByteCount
        guard 0..<header.frameCount ~= options.frame else {
            throw CodecError.noSuchFrame(options.frame, frameCount: header.frameCount)
        }
        let bitmap: Bitmap
        let isPartial: Bool
        if header.isAnimated {
            guard !header.frames.isEmpty else {
                throw header.isCutShort
                    ? CodecError.truncated(.webp) : .corrupt(.webp, reason: "an animation without frames")
            }
            // As for a cursor, so that an animation that cannot be played is refused here as well.
            var sequencer = try FrameSequencer(
                header,
                limits: options.limits,
                heldBitmapCount: orientation == .up ? 1 : 2
            )
            bitmap = try sequencer.bitmap(ofFrame: options.frame, isCancelled: isCancelled) { number in
                let frame = header.frames[number]
                return try frame.pixels(number, on: header.size, damage: options.damage, isCancelled: isCancelled)
            }
            isPartial = sequencer.isPartial
        } else {
            guard let image = header.image else {
                throw header.isCutShort ? CodecError.truncated(.webp) : .corrupt(.webp, reason: "there is no image")
            }
            guard image.size == header.size else {
                throw CodecError.corrupt(.webp, reason: "an image of \(image.size) instead of \(header.size) pixels")
            }
            // A lossless image is decoded to a copy of its own; otherwise the alpha channel is.
            let ownByteCount = image.isLossless ? bitmapByteCount : image.hasAlpha ? bitmapByteCount / 4 : 0
            try options.limits.checkMemory(bitmapByteCount, max(orientedByteCount, ownByteCount), of: .webp)
            let pixels = try WebPStillReader.pixels(
                of: image,
                premultiplies: options.premultiplies,
                damage: options.damage,
                isCancelled: isCancelled
            )
            bitmap = pixels.bitmap
            isPartial = pixels.isPartial
        }
        return DecodedImage(
            bitmap: try bitmap.oriented(orientation),
            info: header.info,
            fullSize: orientation.displaySize(of: header.size),
            colorProfile: header.colorProfile,
            isPartial: isPartial
        )
    }

    /// Opens an animation, or the one image of a file that is none.
    ///
    /// - Throws: ``CodecError``.
    public func cursor(for data: Data, options: DecodeOptions) throws -> sending any FrameCursor {
        guard !data.isEmpty else {
            throw CodecError.empty
        }
        let header = try WebPHeader(parsing: data, maximumFrameCount: options.limits.frameCount)
        guard header.isAnimated else {
            return IndependentFrames(decoder: self, data: data, options: options)
        }
        return try WebPFrameCursor(header, options: options)
    }
}
