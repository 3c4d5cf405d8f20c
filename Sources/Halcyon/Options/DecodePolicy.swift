public import HalcyonCodecs

/// How bytes become pixels.
public struct DecodePolicy: Sendable, Hashable {
    /// Which frame of an animation, from 0. Default: 0.
    public var frame = 0
    /// What is refused before memory is taken. Default: ``DecodeLimits/standard``.
    public var limits: DecodeLimits = .standard

    /// The defaults.
    public init() {}

    /// Whether the result is what the defaults give. Limits are no part of it: they decide whether there is a result,
    /// not which.
    var isIdentity: Bool { frame == 0 }

    func encodeIdentity(into encoder: inout CacheKeyEncoder) {
        encoder.encode(frame)
    }
}
