/// An affine change of colours: each component of the result is a sum of multiples of red, green and blue, and a number.
///
/// Components are straight, from 0 to 1; results are limited to that. Alpha stays. Several adjustments become one with
/// ``followed(by:)``, which costs no more than a single one, and rounds and limits once, at the end.
///
/// A coefficient that is not a number counts as 0, and those beyond ±1,000,000 are limited to it.
public struct ColorAdjustment: Hashable, Sendable, Codable {
    /// The factors of red, green and blue in the red of the result.
    public var red: SIMD3<Double>
    /// The factors of red, green and blue in the green of the result.
    public var green: SIMD3<Double>
    /// The factors of red, green and blue in the blue of the result.
    public var blue: SIMD3<Double>
    /// What is added to red, green and blue.
    public var offset: SIMD3<Double>

    /// The meaning of the components that an adjustment computes with.
    public enum WorkingSpace: String, Sendable, Hashable, CaseIterable, Codable {
        /// Samples as they are: encoded with the transfer function of sRGB, as the filters of CSS compute.
        case sRGB
        /// Linear light (IEC 61966-2-1), as Core Image computes by default. About ten times as slow.
        case linear
    }

    /// Creates an adjustment with these coefficients.
    public init(red: SIMD3<Double>, green: SIMD3<Double>, blue: SIMD3<Double>, offset: SIMD3<Double> = .zero) {
        self.red = red
        self.green = green
        self.blue = blue
        self.offset = offset
    }

    /// The adjustment that changes nothing.
    public static let identity = ColorAdjustment(red: [1, 0, 0], green: [0, 1, 0], blue: [0, 0, 1])

    /// Returns the adjustment that does what this one does and then what `next` does, without limiting in between.
    public func followed(by next: ColorAdjustment) -> ColorAdjustment {
        func row(_ factors: SIMD3<Double>) -> SIMD3<Double> {
            red * factors.x + green * factors.y + blue * factors.z
        }
        func sum(_ factors: SIMD3<Double>) -> Double { (offset * factors).sum() }
        return ColorAdjustment(
            red: row(next.red),
            green: row(next.green),
            blue: row(next.blue),
            offset: SIMD3(sum(next.red), sum(next.green), sum(next.blue)) + next.offset
        )
    }

    /// Returns the adjustments as one, in this order; ``identity`` for none.
    public static func combining(_ adjustments: [ColorAdjustment]) -> ColorAdjustment {
        adjustments.dropFirst().reduce(adjustments.first ?? .identity) { $0.followed(by: $1) }
    }

    /// Returns the adjustment at a part of its effect: 0 is ``identity``, 1 this one.
    func mixed(_ amount: Double) -> ColorAdjustment {
        let identity = ColorAdjustment.identity
        return ColorAdjustment(
            red: identity.red + (red - identity.red) * amount,
            green: identity.green + (green - identity.green) * amount,
            blue: identity.blue + (blue - identity.blue) * amount,
            offset: offset * amount
        )
    }

    /// Returns a coefficient as the kernels take it.
    static func limited(_ coefficient: Double) -> Float {
        coefficient.isNaN ? 0 : Float(min(max(coefficient, -1_000_000), 1_000_000))
    }
}
