public import HalcyonCodecs

/// The decoding of bytes to pixels for one image.
public struct DecodePolicy: Sendable, Hashable {
    /// The index of a frame of an animation, from 0. Default: 0.
    public var frame = 0
    /// The handling of colours that are not sRGB. Where the first processor resizes, its result is converted instead of
    /// the whole image; later processors, and the result of the load, always have the colours that this value names.
    /// Default: ``ColorHandling/sRGB``.
    public var color: ColorHandling = .sRGB
    /// A Boolean value that indicates whether a file of more than 8 bits a sample becomes a bitmap of 16 bits a sample,
    /// which takes twice the memory. Default: `false`.
    public var keepsSixteenBits = false
    /// A Boolean value that indicates whether a smaller image that the file embeds may be used instead, where it is
    /// large enough for the first processor or where there is no processor. It can differ from the main image. Default:
    /// `false`.
    public var usesEmbeddedThumbnail = false
    /// The bounds beyond which a file is refused before memory is taken. Default: ``DecodeLimits/standard``.
    public var limits: DecodeLimits = .standard

    /// The defaults.
    public init() {}

    /// A Boolean value that indicates whether the result equals that of the defaults. Limits don't count: they decide
    /// whether there is a result, not which.
    var isIdentity: Bool { frame == 0 && color == .sRGB && !keepsSixteenBits && !usesEmbeddedThumbnail }

    func encodeIdentity(into encoder: inout CacheKeyEncoder) {
        encoder.encode(frame)
        switch color {
        case .sRGB: encoder.encode("sRGB")
        case .asStored: encoder.encode("asStored")
        }
        encoder.encode(keepsSixteenBits)
        encoder.encode(usesEmbeddedThumbnail)
    }

    /// The same settings for a decoder.
    var decodeOptions: DecodeOptions {
        DecodeOptions(
            frame: frame,
            color: color,
            keepsSixteenBits: keepsSixteenBits,
            usesEmbeddedThumbnail: usesEmbeddedThumbnail,
            limits: limits
        )
    }

    /// The settings to read an image that was processed and stored before: its colours as they are, and no limits,
    /// which are for bytes from elsewhere. These bytes were made here, from an original within the limits.
    var storedResultOptions: DecodeOptions {
        DecodeOptions(color: .asStored, keepsSixteenBits: keepsSixteenBits)
    }
}
