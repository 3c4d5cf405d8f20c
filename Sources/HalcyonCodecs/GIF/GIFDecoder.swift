public import FoundationEssentials
internal import HalcyonRaster

/// Reads GIF 87a and 89a.
///
/// Pictures look as browsers show them: the area that no frame covers is transparent, the canvas is the logical screen,
/// made larger where the first frame reaches beyond it, and other frames are cut at its edge.
public struct GIFDecoder: ImageDecoder {
    /// A decoder; it has no settings.
    public init() {}

    /// GIF.
    public var format: ImageFormat { .gif }

    /// Whether "GIF87a" or "GIF89a" is there.
    public func recognizes(_ prefix: Data) -> Bool {
        GIFFile.signatures.contains { prefix.starts(with: $0) }
    }

    /// Reads size, frames, durations and the number of repetitions by walking the blocks, without decompressing.
    ///
    /// Linear in the number of sub-blocks. Durations are as stored, in steps of 10 ms, 0 included. An animation that
    /// does not say how often it plays has a ``ImageInfo/loopCount`` of 1.
    ///
    /// - Throws: ``CodecError/empty``, ``CodecError/truncated(_:)`` where the first image is not reached,
    ///   ``CodecError/corrupt(_:reason:)``, ``CodecError/limitExceeded(_:_:)`` for too many frames.
    public func info(of data: Data, limits: DecodeLimits) throws(CodecError) -> ImageInfo {
        let result = data.withUnsafeBytes { bytes in
            Result { () throws(CodecError) -> ImageInfo in
                try GIFFile(bytes, limits: limits).info
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
                try check(file, options)
                var composer = try GIFComposer(file)
                let bitmap = try composer.picture(after: options.frame, in: bytes, isCancelled: isCancelled)
                return DecodedImage(bitmap: bitmap, info: file.info)
            }
        } catch let error as BitmapError {
            throw CodecError.bitmap(error)
        }
    }

    /// Opens an animation; a frame costs its own decompression and a copy of what it leaves visible of the one before.
    ///
    /// - Throws: ``CodecError``.
    public func cursor(for data: Data, options: DecodeOptions) throws -> sending any FrameCursor {
        try GIFFrameCursor(data, limits: options.limits)
    }

    /// Refuses what is too large before any memory is taken for it.
    private func check(_ file: GIFFile, _ options: DecodeOptions) throws(CodecError) {
        let limits = options.limits
        guard options.frame >= 0, options.frame < file.frames.count else {
            throw .noSuchFrame(options.frame, frameCount: file.frames.count)
        }
        let needed = file.frames[...options.frame]
        for size in CollectionOfOne(file.canvas) + needed.map(\.size) {
            try limits.check(size, of: .gif)
        }
        let savesCanvas = needed.contains { $0.control.disposal == .restore }
        let largestFrame = needed.reduce(0) { max($0, $1.size.area + $1.dataRange.count) }
        let canvas = file.canvas.bitmapByteCount
        try limits.checkMemory(canvas, savesCanvas ? canvas : 0, largestFrame, of: .gif)
    }
}
