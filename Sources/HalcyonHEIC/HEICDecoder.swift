public import FoundationEssentials
public import HalcyonCodecs
internal import HalcyonRaster

/// Reads HEIC and other HEIF files (ISO/IEC 23008-12) by libheif: images coded with HEVC, and with AV1 where the
/// brands of the file do not say so (those that do are read by ``AVIFDecoder``).
///
/// Each image of a file that is no part of another is a frame, without a duration; the first one is the primary image.
/// Overlays are drawn by this library. libheif turns and crops images itself, so that ``ImageInfo/size`` is the size as
/// shown and ``ImageInfo/orientation`` is always `.up`, whatever ``DecodeOptions/appliesOrientation`` says. Image
/// sequences are refused: libheif has no way to read them before 1.20. It cannot be interrupted: once decoding is
/// cancelled, it ends after the image in work. One that is cut short is an error, whatever
/// ``DecodeOptions/damage`` says; parts whose data are damaged are grey, because libde265 tells nobody of them.
public struct HEICDecoder: ImageDecoder, ConfinableDecoder, LibraryCodec {
    /// A decoder.
    public init() {}

    /// ``ImageFormat/heic``.
    public var format: ImageFormat { .heic }

    package var library: CodecLibrary { .heif }

    package var confinement: DecoderConfinement { .threadedLibrary }

    /// Returns whether the brands of the file are those of HEIC, or of HEIF with any coding.
    public func recognizes(_ prefix: Data) -> Bool {
        let format = ImageFormat.detect(prefix)
        return format == .heic || format == .heif
    }

    /// Reads the boxes before the images. Images behind ``DecodeLimits/frameCount`` are left out, here and in decoding,
    /// and ``ImageInfo/isFrameCountExact`` is `false`.
    ///
    /// - Throws: ``CodecError/truncated(_:)`` where the bytes end before what describes the images,
    ///   ``CodecError/corrupt(_:reason:)``, ``CodecError/unsupported(_:reason:)`` for images coded otherwise.
    public func info(of data: Data, limits: DecodeLimits) throws(CodecError) -> ImageInfo {
        try withReader(of: data, extent: .beginning, limits: limits) { reader in
            Result { () throws(CodecError) in try reader.info }
        }
    }

    /// Decodes one image, or a thumbnail of it that the file holds.
    public func decode(
        _ data: Data,
        options: DecodeOptions,
        isCancelled: @Sendable () -> Bool
    ) throws -> DecodedImage {
        try withReader(of: data, extent: .whole, limits: options.limits) { reader in
            .success(Result { try reader.image(options: options, isCancelled: isCancelled) })
        }.get()
    }

    /// EXIF, XMP and the ICC profile of the primary image.
    ///
    /// - Throws: As ``info(of:limits:)`` does.
    public func metadata(of data: Data) throws(CodecError) -> ImageMetadata {
        try withReader(of: data, extent: .whole, limits: .standard) { reader in
            Result { () throws(CodecError) in try reader.metadata }
        }
    }

    private func withReader<Value>(
        of data: Data,
        extent: HEIFReader.Extent,
        limits: DecodeLimits,
        _ body: (HEIFReader) -> Result<Value, CodecError>
    ) throws(CodecError) -> Value {
        guard !data.isEmpty else {
            throw .empty
        }
        let container = HEIFContainer(data)
        // The closure's errors would lose their type.
        return try container.data.withUnsafeBytes { bytes in
            Result { () throws(CodecError) in
                try HEIFReader(bytes, of: container, extent: extent, limits: limits)
            }.flatMap(body)
        }.get()
    }
}
