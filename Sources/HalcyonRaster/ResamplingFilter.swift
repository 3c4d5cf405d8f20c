internal import Glibc

/// The weighting of the pixels around a position where an image is made smaller or larger.
///
/// When an image shrinks, the filter is stretched by the same factor, so that every source pixel counts and nothing
/// finer than the result can show is left to alias; ``nearest`` is the exception.
public enum ResamplingFilter: String, Sendable, Hashable, CaseIterable, Codable {
    /// The one pixel that lies closest. For pixel art and masks; aliases otherwise.
    case nearest
    /// The average of the area that a pixel covers. Shrinks by whole factors exactly, enlarges to blocks.
    case box
    /// A triangle, 1 pixel to each side. Soft.
    case bilinear
    /// The cubic of Catmull and Rom (Keys 1981, a = −0.5), 2 pixels to each side. Crisp, with little ringing.
    case catmullRom
    /// A windowed sinc, 3 pixels to each side (Lanczos). The sharpest; rings slightly at hard edges.
    case lanczos3

    /// The reach of the filter to each side, in pixels of the coarser of the two images.
    var support: Double {
        switch self {
        case .nearest, .box: 0.5
        case .bilinear: 1
        case .catmullRom: 2
        case .lanczos3: 3
        }
    }

    /// Returns the weight of a pixel at this distance, before the weights are made to add up to 1.
    func weight(at distance: Double) -> Double {
        let x = abs(distance)
        switch self {
        case .nearest, .box:
            // Half open, so that a pixel between two others belongs to one of them.
            return distance > -0.5 && distance <= 0.5 ? 1 : 0
        case .bilinear:
            return x < 1 ? 1 - x : 0
        case .catmullRom:
            if x < 1 { return (1.5 * x - 2.5) * x * x + 1 }
            return x < 2 ? ((-0.5 * x + 2.5) * x - 4) * x + 2 : 0
        case .lanczos3:
            return x < 3 ? Self.sinc(x) * Self.sinc(x / 3) : 0
        }
    }

    /// The weights of ``lanczos3`` at points from 0 on, for those between which ``weight(at:on:)`` draws straight lines;
    /// `nil` for other filters, whose weights take no longer than that.
    var curve: [Double]? { self == .lanczos3 ? Self.lanczosCurve : nil }

    /// Returns the weight of a pixel from a curve.
    static func weight(at distance: Double, on curve: [Double]) -> Double {
        let position = abs(distance) * pointsOfCurve
        guard position < 3 * pointsOfCurve else { return 0 }
        let index = Int(position)
        let (first, second) = (curve[index], curve[index + 1])
        return first + (second - first) * (position - Double(index))
    }

    /// The points of the curve from one pixel to the next.
    private static let pointsOfCurve = 2_048.0
    private static let lanczosCurve = (0...6_145).map { lanczos3.weight(at: Double($0) / pointsOfCurve) }

    private static func sinc(_ x: Double) -> Double {
        x == 0 ? 1 : sin(.pi * x) / (.pi * x)
    }
}
