/// A colour in sRGB: red, green, blue and alpha from 0 to 1, the colours not multiplied by alpha ("straight"), encoded
/// with the transfer function of sRGB (IEC 61966-2-1) as the samples of an 8-bit image are.
public struct Color: Hashable, Sendable, Codable {
    /// From 0 to 1.
    public var red: Double
    /// From 0 to 1.
    public var green: Double
    /// From 0 to 1.
    public var blue: Double
    /// From 0, transparent, to 1, opaque.
    public var alpha: Double

    /// A colour of these components, opaque by default. Components outside 0…1 are limited to it where pixels are
    /// written; NaN counts as 0.
    public init(red: Double, green: Double, blue: Double, alpha: Double = 1) {
        self.red = red
        self.green = green
        self.blue = blue
        self.alpha = alpha
    }

    /// A gray of this brightness, opaque by default.
    public init(white: Double, alpha: Double = 1) {
        self.init(red: white, green: white, blue: white, alpha: alpha)
    }

    /// Opaque black.
    public static let black = Color(white: 0)
    /// Opaque white.
    public static let white = Color(white: 1)
    /// Transparent black.
    public static let clear = Color(white: 0, alpha: 0)

    /// The colour as a pixel of an 8-bit ``Bitmap``: each component rounded to nearest, colours multiplied by alpha.
    package var premultipliedPixel: SIMD4<UInt8> {
        SIMD4(truncatingIfNeeded: samples(maximum: 255))
    }

    /// The colour as a pixel of a 16-bit ``Bitmap``.
    package var premultipliedPixel16: SIMD4<UInt16> {
        SIMD4(truncatingIfNeeded: samples(maximum: 65_535))
    }

    /// Returns whether pixels of this colour are opaque once they are written.
    func isOpaque(at depth: SampleDepth) -> Bool {
        switch depth {
        case .eight: premultipliedPixel.w == .max
        case .sixteen: premultipliedPixel16.w == .max
        }
    }

    private func samples(maximum: Double) -> SIMD4<UInt32> {
        func limited(_ value: Double) -> Double { value > 0 ? min(value, 1) : 0 }
        let alpha = limited(alpha)
        func sample(_ value: Double) -> UInt32 { UInt32((limited(value) * alpha * maximum).rounded()) }
        return SIMD4(sample(red), sample(green), sample(blue), UInt32((alpha * maximum).rounded()))
    }
}
