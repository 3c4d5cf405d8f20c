import Glibc

/// A place in an image: x from 0 to width ÷ height, y from 0 (top) to 1 (bottom).
typealias Point = SIMD2<Float>

/// Red, green and blue from 0 to 1, as sRGB encodes them.
typealias RGB = SIMD3<Float>

extension RGB {
    /// The colour 0xRRGGBB.
    init(hex: UInt32) {
        self.init(Float(hex >> 16 & 255), Float(hex >> 8 & 255), Float(hex & 255))
        self /= 255
    }
}

/// `value` moved into 0 … 1.
@inline(__always)
func clamp(_ value: Float) -> Float {
    min(max(value, 0), 1)
}

/// 0 below `low`, 1 above `high`, an S-shaped curve between.
@inline(__always)
func smoothstep(_ low: Float, _ high: Float, _ value: Float) -> Float {
    let share = clamp((value - low) / (high - low))
    return share * share * (3 - 2 * share)
}

/// `start` where `share` is 0, `end` where it is 1.
@inline(__always)
func mix(_ start: Float, _ end: Float, _ share: Float) -> Float {
    start + (end - start) * share
}

/// `start` where `share` is 0, `end` where it is 1.
@inline(__always)
func mix(_ start: RGB, _ end: RGB, _ share: Float) -> RGB {
    start + (end - start) * share
}

/// Lays light over a colour without ever going beyond white.
@inline(__always)
func screen(_ color: RGB, _ light: RGB) -> RGB {
    let one = RGB(repeating: 1)
    return one - (one - color) * (one - light.clamped(lowerBound: .zero, upperBound: one))
}

@inline(__always)
func length(_ vector: Point) -> Float {
    (vector.x * vector.x + vector.y * vector.y).squareRoot()
}

/// Colours along a line, blended between stops.
struct Gradient: Sendable {
    private let stops: [(place: Float, color: RGB)]

    /// Stops in rising order of place; 0xRRGGBB each.
    init(_ stops: (place: Float, hex: UInt32)...) {
        self.stops = stops.map { ($0.place, RGB(hex: $0.hex)) }
    }

    subscript(_ place: Float) -> RGB {
        guard let first = stops.first, place > first.place else { return stops.first?.color ?? .zero }
        for index in stops.indices.dropFirst() where place <= stops[index].place {
            let (low, high) = (stops[index - 1], stops[index])
            return mix(low.color, high.color, smoothstep(low.place, high.place, place))
        }
        return stops[stops.count - 1].color
    }
}
