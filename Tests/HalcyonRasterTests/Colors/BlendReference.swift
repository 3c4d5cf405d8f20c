import HalcyonRaster

/// Blend modes by their definitions (Compositing and Blending Level 1), one pixel at a time, in double precision.
struct BlendReference {
    let mode: BlendMode
    /// What the source's alpha is multiplied by.
    var opacity = 1.0
    /// The largest sample, which stands for 1.
    let largest: Double

    /// Returns the samples of the result, not rounded; colours are multiplied by alpha.
    func blend(_ source: SIMD4<Double>, over backdrop: SIMD4<Double>) -> SIMD4<Double> {
        let (s, b) = (source / largest * opacity, backdrop / largest)
        let result =
            switch mode {
            case .normal: s + b * (1 - s.w)
            case .clear: SIMD4<Double>.zero
            case .copy: s
            case .destination: b
            case .destinationOver: b + s * (1 - b.w)
            case .sourceIn: s * b.w
            case .destinationIn: b * s.w
            case .sourceOut: s * (1 - b.w)
            case .destinationOut: b * (1 - s.w)
            case .sourceAtop: s * b.w + b * (1 - s.w)
            case .destinationAtop: b * s.w + s * (1 - b.w)
            case .xor: s * (1 - b.w) + b * (1 - s.w)
            case .plusLighter: limited(s + b, to: 1)
            case .plusDarker: darkerSum(s, b)
            default: mixed(source, s, backdrop, b)
            }
        return result * largest
    }

    private func limited(_ value: SIMD4<Double>, to limit: Double) -> SIMD4<Double> {
        value.clamped(lowerBound: .zero, upperBound: SIMD4(repeating: limit))
    }

    private func darkerSum(_ s: SIMD4<Double>, _ b: SIMD4<Double>) -> SIMD4<Double> {
        let alpha = min(1, s.w + b.w)
        var result = SIMD4(repeating: alpha) - (SIMD4(repeating: s.w) - s) - (SIMD4(repeating: b.w) - b)
        result.w = alpha
        return limited(result, to: alpha)
    }

    /// Section 5.8: each colour where the other is not, and their mixture where both are.
    private func mixed(
        _ source: SIMD4<Double>,
        _ s: SIMD4<Double>,
        _ backdrop: SIMD4<Double>,
        _ b: SIMD4<Double>
    ) -> SIMD4<Double> {
        guard source.w > 0 else { return b }
        guard backdrop.w > 0 else { return s }
        // Of whole samples, so that a colour that is as large as its alpha is exactly 1.
        let (above, below) = (straight(source), straight(backdrop))
        let mixture = SIMD4(color(above, below), 1)
        return s * (1 - b.w) + b * (1 - s.w) + mixture * (s.w * b.w)
    }

    private func straight(_ value: SIMD4<Double>) -> SIMD3<Double> {
        SIMD3(value.x / value.w, value.y / value.w, value.z / value.w)
    }

    private func color(_ s: SIMD3<Double>, _ b: SIMD3<Double>) -> SIMD3<Double> {
        switch mode {
        case .hue: withLuminosity(withSaturation(s, saturation(b)), luminosity(b))
        case .saturation: withLuminosity(withSaturation(b, saturation(s)), luminosity(b))
        case .color: withLuminosity(s, luminosity(b))
        case .luminosity: withLuminosity(b, luminosity(s))
        default: SIMD3(channel(s.x, b.x), channel(s.y, b.y), channel(s.z, b.z))
        }
    }

    private func channel(_ s: Double, _ b: Double) -> Double {
        switch mode {
        case .multiply: return b * s
        case .screen: return b + s - b * s
        case .overlay: return hardLight(b, s)
        case .darken: return min(b, s)
        case .lighten: return max(b, s)
        case .colorDodge: return b == 0 ? 0 : s == 1 ? 1 : min(1, b / (1 - s))
        case .colorBurn: return b == 1 ? 1 : s == 0 ? 0 : 1 - min(1, (1 - b) / s)
        case .hardLight: return hardLight(s, b)
        case .softLight:
            let curve = b <= 0.25 ? ((16 * b - 12) * b + 4) * b : b.squareRoot()
            return s <= 0.5 ? b - (1 - 2 * s) * b * (1 - b) : b + (2 * s - 1) * (curve - b)
        case .difference: return abs(b - s)
        case .exclusion: return b + s - 2 * b * s
        default: preconditionFailure("\(mode) is no separable mode")
        }
    }

    private func hardLight(_ s: Double, _ b: Double) -> Double {
        s <= 0.5 ? b * 2 * s : b + (2 * s - 1) - b * (2 * s - 1)
    }

    private func luminosity(_ color: SIMD3<Double>) -> Double { 0.3 * color.x + 0.59 * color.y + 0.11 * color.z }

    private func saturation(_ color: SIMD3<Double>) -> Double { color.max() - color.min() }

    private func withSaturation(_ color: SIMD3<Double>, _ target: Double) -> SIMD3<Double> {
        let range = saturation(color)
        return range > 0 ? (color - color.min()) * target / range : .zero
    }

    private func withLuminosity(_ color: SIMD3<Double>, _ target: Double) -> SIMD3<Double> {
        var moved = color + (target - luminosity(color))
        let (middle, low, high) = (luminosity(moved), moved.min(), moved.max())
        if low < 0 { moved = middle + (moved - middle) * middle / (middle - low) }
        if high > 1 { moved = middle + (moved - middle) * (1 - middle) / (high - middle) }
        return moved
    }
}
