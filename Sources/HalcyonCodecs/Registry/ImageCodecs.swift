public import FoundationEssentials

/// The decoders and encoders in use: one value that answers which format bytes have, what their header says, and turns
/// them into pixels or back.
///
/// Codecs are asked in order, those of ``registering(decoder:)`` first, so that a user's codec takes precedence over ours for
/// the same format.
public struct ImageCodecs: Sendable {
    private var first: FormatCodecs
    /// Whether those of ``standard`` come next.
    private let hasStandard: Bool
    private var last = FormatCodecs()
    /// The place where the decoders work; `nil` for the program. Default: `nil`.
    package var isolation: (any DecoderIsolation)?

    /// The first bytes that are looked at to tell a format. SVG may have comments before its first element.
    private static let detectionByteCount = 4_096
    /// The first bytes that a decoder is shown.
    private static let prefixByteCount = 64

    /// A set of codecs, in the order in which they are asked. Formats that are registered do not belong to it.
    public init(decoders: [any ImageDecoder] = [], encoders: [any ImageEncoder] = []) {
        (first, hasStandard) = (FormatCodecs(decoders: decoders, encoders: encoders), false)
    }

    /// Those of ``standard``.
    init(ofStandard: Bool) {
        (first, hasStandard) = (FormatCodecs(), ofStandard)
    }

    /// In the order in which they are asked.
    public var decoders: [any ImageDecoder] {
        guard hasStandard else { return first.decoders + last.decoders }
        let standard = Self.standardCodecs.decoders
        return first.decoders.isEmpty && last.decoders.isEmpty ? standard : first.decoders + standard + last.decoders
    }

    /// In the order in which they are asked.
    public var encoders: [any ImageEncoder] {
        guard hasStandard else { return first.encoders + last.encoders }
        let standard = Self.standardCodecs.encoders
        return first.encoders.isEmpty && last.encoders.isEmpty ? standard : first.encoders + standard + last.encoders
    }

    /// The same codecs and one more decoder, which is asked first.
    public func registering(decoder: any ImageDecoder) -> ImageCodecs {
        var codecs = self
        codecs.first = FormatCodecs([FormatCodecs(decoders: [decoder]), first])
        return codecs
    }

    /// The same codecs and one more encoder, which is asked first.
    public func registering(encoder: any ImageEncoder) -> ImageCodecs {
        var codecs = self
        codecs.first = FormatCodecs([FormatCodecs(encoders: [encoder]), first])
        return codecs
    }

    /// Codecs and those of further formats, which are asked last.
    ///
    /// ```swift
    /// let pipeline = ImagePipeline(configuration: .init(codecs: .standard + [.svg]))
    /// ```
    public static func + (codecs: ImageCodecs, formats: [FormatCodecs]) -> ImageCodecs {
        var codecs = codecs
        codecs.last = codecs.last.replacing(with: formats)
        return codecs
    }
}

extension ImageCodecs {
    /// The decoder for these bytes, of which the first few kilobytes are enough.
    ///
    /// - Parameters:
    ///   - data: The bytes, or their beginning.
    ///   - hint: The format to assume where the bytes tell none, such as that of a drawing that begins with comments of
    ///     more than 1 MiB, or of samples without a header. It never takes precedence over a signature, be it that of another
    ///     format of images, or of something else such as PDF or HTML. Default: `nil`.
    /// - Throws: ``CodecError/empty``, ``CodecError/unknownFormat(detected:)`` with the name of what the bytes look
    ///   like, ``CodecError/unregistered(_:)`` for a format of a product of its own that is not registered,
    ///   ``CodecError/unsupported(_:reason:)`` for another known format without a decoder.
    public func decoder(for data: Data, hint: ImageFormat? = nil) throws(CodecError) -> any ImageDecoder {
        let decoder = try decoderHere(for: data, hint: hint)
        return isolation?.isolated(decoder) ?? decoder
    }

    /// Returns the decoder that works in this process.
    private func decoderHere(for data: Data, hint: ImageFormat?) throws(CodecError) -> any ImageDecoder {
        guard !data.isEmpty else {
            throw .empty
        }
        let prefix = data.prefix(Self.prefixByteCount)
        if let decoder = decoders.first(where: { $0.recognizes(prefix) }) {
            return decoder
        }
        let beginning = data.prefix(Self.detectionByteCount)
        let detected =
            ImageFormat.detect(beginning)
            ?? ImageFormat.detectBehindComments(data, from: Self.detectionByteCount)
        if let format = detected {
            if let decoder = decoders.first(where: { $0.format == format }) {
                return decoder
            }
            throw missing(.decoder, of: format)
        }
        if let hint, !ForeignContent.isCertain(beginning) {
            if let decoder = decoders.first(where: { $0.format == hint }) {
                return decoder
            }
            throw missing(.decoder, of: hint)
        }
        throw .unknownFormat(detected: ForeignContent.name(of: beginning))
    }

    /// Returns the description in the header; no pixel is decoded. `data` may be the beginning of a file only.
    ///
    /// Sizes are reported as they are; of the limits only the number of frames counts here.
    ///
    /// - Parameter hint: As for ``decoder(for:hint:)``. Default: `nil`.
    public func info(
        of data: Data,
        limits: DecodeLimits = .standard,
        hint: ImageFormat? = nil
    ) throws(CodecError) -> ImageInfo {
        try decoder(for: data, hint: hint).info(of: data, limits: limits)
    }

    /// Returns the metadata that the file embeds besides its pixels: EXIF, XMP and an ICC profile, as far as its format
    /// holds them.
    ///
    /// Parts that are damaged or too large are left out.
    ///
    /// - Throws: As ``decoder(for:hint:)`` does, ``CodecError/truncated(_:)``, ``CodecError/corrupt(_:reason:)``.
    public func metadata(of data: Data) throws(CodecError) -> ImageMetadata {
        try decoder(for: data).metadata(of: data)
    }

    /// Decodes one frame into upright, premultiplied pixels, in sRGB unless ``DecodeOptions/color`` says otherwise.
    ///
    /// - Parameter isCancelled: Asked between groups of rows; once it says `true`, decoding ends. Default: never.
    /// - Throws: ``CodecError``, or `CancellationError`.
    public func decode(
        _ data: Data,
        options: DecodeOptions = DecodeOptions(),
        isCancelled: @Sendable () -> Bool = { false }
    ) throws -> DecodedImage {
        let decoder = try decoder(for: data, hint: options.typeHint)
        if isolation != nil, let decoder = decoder as? any WholeImageDecoder {
            return try decoder.wholeImage(data, options: options, isCancelled: isCancelled)
        }
        return try Self.image(of: data, with: decoder, options: options, isCancelled: isCancelled)
    }

    /// Decodes one frame with a decoder, bounded and in the colours that the options ask for.
    ///
    /// - Throws: As ``decode(_:options:isCancelled:)`` does.
    package static func image(
        of data: Data,
        with decoder: any ImageDecoder,
        options: DecodeOptions,
        isCancelled: @Sendable () -> Bool
    ) throws -> DecodedImage {
        // A decoder that decodes another file on its way, such as a cover, is not to scale that.
        var decoding = options
        decoding.scaledFullSize = nil
        var image =
            if let limit = options.bitmapLimit {
                try decode(data, with: decoder, within: limit, options: decoding, isCancelled: isCancelled)
            } else {
                try decoder.decode(data, options: decoding, isCancelled: isCancelled)
            }
        try image.scaleToTarget(of: options, isCancelled: isCancelled)
        // Colours are converted in place: a second bitmap may be more than there is memory for.
        return try (consume image).converted(options.color, isCancelled: isCancelled)
    }

    /// The two kinds of codecs.
    package enum Kind: String {
        case decoder
        case encoder
    }

    /// The error for a format without a codec.
    package func missing(_ kind: Kind, of format: ImageFormat) -> CodecError {
        guard hasStandard, let product = format.product, kind == .decoder || product.hasEncoder else {
            return .unsupported(format, reason: "there is no \(kind.rawValue) for this format")
        }
        return .unregistered(format)
    }

    /// The encoder for a format, or `nil`.
    public func encoder(for format: ImageFormat) -> (any ImageEncoder)? {
        encoders.first { $0.format == format }
    }

    /// Returns whether there is an encoder for a format.
    public func canEncode(_ format: ImageFormat) -> Bool {
        encoder(for: format) != nil
    }

    /// Returns whether there is a decoder for a format.
    public func canDecode(_ format: ImageFormat) -> Bool {
        decoders.contains { $0.format == format }
    }
}
