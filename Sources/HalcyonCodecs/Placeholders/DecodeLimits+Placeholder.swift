extension DecodeLimits {
    /// The bounds of an image that a hash stands for: it has no detail that more pixels would show, and each of them
    /// costs as many cosines as the hash has components.
    static let placeholder = DecodeLimits(pixelCount: 1 << 20, sideLength: 1_024)
}
