public import FoundationEssentials
internal import HalcyonRaster

/// Reads AVIF (AV1 Image File Format 1.1) by libavif: stills, grids and image sequences, of 8, 10 and 12 bits, grey and
/// colour at all samplings, with alpha.
///
/// An image is cropped to its clean aperture (`clap`), as in Chromium where that begins in the corner of the image alone,
/// then turned by `irot` and `imir`; EXIF orientation does not count in this format. Of a file with layers, the best is
/// shown, and of one with a gain map the base image. libavif cannot be interrupted: once decoding is cancelled, it ends after the frame in work. A frame that is cut short is an error,
/// whatever ``DecodeOptions/damage`` says: AV1 has no rows before all of it is decoded.
public struct AVIFDecoder: ImageDecoder, ConfinableDecoder, LibraryCodec {
    private let threadCount: Int

    /// A decoder.
    ///
    /// - Parameter threadCount: Threads that may work on one image. Default: 1, because a program that shows many
    ///   images decodes several of them at a time.
    public init(threadCount: Int = 1) {
        self.threadCount = max(1, threadCount)
    }

    /// ``ImageFormat/avif``.
    public var format: ImageFormat { .avif }

    package var library: CodecLibrary { .avif }

    package var confinement: DecoderConfinement { .threadedLibrary }

    /// Returns whether the brands of the file are those of AVIF, before any of another format.
    public func recognizes(_ prefix: Data) -> Bool {
        ImageFormat.detect(prefix) == .avif
    }

    /// Reads the boxes before the images. Of an animation, frames behind ``DecodeLimits/frameCount`` are left out, here
    /// and in decoding, and ``ImageInfo/isFrameCountExact`` is `false`.
    ///
    /// - Throws: ``CodecError/truncated(_:)`` where the bytes end before what describes the images,
    ///   ``CodecError/corrupt(_:reason:)``, ``CodecError/limitExceeded(_:_:)`` for more pixels than libavif can take,
    ///   2^28.
    public func info(of data: Data, limits: DecodeLimits) throws(CodecError) -> ImageInfo {
        try withReader(of: data, extent: .beginning, limits: limits) { reader throws(CodecError) in try reader.info() }
    }

    /// Decodes one frame; of an animation, from the key frame before it on.
    public func decode(
        _ data: Data,
        options: DecodeOptions,
        isCancelled: @Sendable () -> Bool
    ) throws -> DecodedImage {
        try withReader(of: data, extent: .whole, limits: options.limits) { reader in
            Result {
                let info = try reader.info()
                let bitmap = try reader.bitmap(ofFrame: options.frame, options: options, isCancelled: isCancelled)
                return DecodedImage(
                    bitmap: bitmap,
                    info: info,
                    options: options,
                    colorProfile: try reader.colorProfile()
                )
            }
        }.get()
    }

    /// Opens a file's frames. Going back starts at the key frame before.
    ///
    /// - Throws: ``CodecError``.
    public func cursor(for data: Data, options: DecodeOptions) throws -> sending any FrameCursor {
        try AVIFFrameCursor(data, options: options, threadCount: threadCount)
    }

    /// EXIF, XMP and the ICC profile of the image.
    ///
    /// - Throws: As ``info(of:limits:)`` does; ``CodecError/truncated(_:)`` also where EXIF or XMP lie behind the end.
    public func metadata(of data: Data) throws(CodecError) -> ImageMetadata {
        try withReader(of: data, extent: .whole, limits: .standard, includesMetadata: true) {
            reader throws(CodecError) in try reader.metadata()
        }
    }

    private func withReader<Result>(
        of data: Data,
        extent: AVIFReader.Extent,
        limits: DecodeLimits,
        includesMetadata: Bool = false,
        _ body: (AVIFReader) throws(CodecError) -> Result
    ) throws(CodecError) -> Result {
        guard !data.isEmpty else {
            throw .empty
        }
        let container = AVIFContainer(data, frameCount: max(1, limits.frameCount))
        // The closure's errors would lose their type.
        return try container.data.withUnsafeBytes { bytes in
            Swift.Result { () throws(CodecError) in
                let reader = try AVIFReader(
                    bytes,
                    of: container,
                    extent: extent,
                    limits: limits,
                    threadCount: threadCount,
                    includesMetadata: includesMetadata
                )
                return try body(reader)
            }
        }.get()
    }
}
