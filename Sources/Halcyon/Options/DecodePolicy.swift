public import HalcyonCodecs

/// How bytes become pixels.
public struct DecodePolicy: Sendable, Hashable {
    /// Which frame of an animation, from 0. Default: 0.
    public var frame = 0
    /// What happens to colours that are not sRGB. Where the first processor resizes, the result is converted instead of
    /// the whole picture; what runs behind it, and what comes out, is always as said here. Default:
    /// ``ColorHandling/sRGB``.
    public var color: ColorHandling = .sRGB
    /// Whether a file of more than 8 bits a sample becomes a bitmap of 16 bits a sample, which takes twice the memory.
    /// Default: `false`.
    public var keepsSixteenBits = false
    /// Whether a smaller picture that the file embeds may stand in where it is large enough for the first processor, or
    /// where there is none. It can differ from the picture itself. Default: `false`.
    public var usesEmbeddedThumbnail = false
    /// What is refused before memory is taken. Default: ``DecodeLimits/standard``.
    public var limits: DecodeLimits = .standard

    /// The defaults.
    public init() {}

    /// Whether the result is what the defaults give. Limits are no part of it: they decide whether there is a result,
    /// not which.
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

    /// The same for a decoder.
    var decodeOptions: DecodeOptions {
        DecodeOptions(
            frame: frame,
            color: color,
            keepsSixteenBits: keepsSixteenBits,
            usesEmbeddedThumbnail: usesEmbeddedThumbnail,
            limits: limits
        )
    }

    /// How an image that was processed and stored before is read: as it is. The limits are for what others sent; this
    /// was made here, from an original within the limits, and may be larger than that. It was in memory before, so what
    /// bounds it is the memory that there is.
    var storedResultOptions: DecodeOptions {
        let limits = DecodeLimits(pixelCount: 1 << 40, sideLength: 1 << 31 - 1, memory: .max)
        return DecodeOptions(color: .asStored, keepsSixteenBits: keepsSixteenBits, limits: limits)
    }
}
