internal import Glibc
internal import Halcyon

/// The size at which an image is shown: fitted into its place, or at a factor of its own size.
struct ZoomScale: Equatable {
    enum Mode: Equatable {
        /// As large as has room, but no larger than the image's own size.
        case fit
        /// This many points for each pixel of the image.
        case factor(Double)
    }

    /// The smallest and the greatest factor.
    static let range = 0.02...32.0
    /// The longest side, in points. The toolkit counts in 32 bits.
    static let longestSide = 1 << 28
    /// The factor between two steps of the keyboard.
    static let step = 1.25

    var mode = Mode.fit
    /// The size of the image in pixels; `nil` while it is not known.
    var imageSize: PixelSize?
    /// The size of the place, in points.
    var area = (width: 0, height: 0)

    static func == (left: ZoomScale, right: ZoomScale) -> Bool {
        left.mode == right.mode && left.imageSize == right.imageSize && left.area == right.area
    }

    /// The number of points for each pixel of the image.
    var factor: Double {
        switch mode {
        case .factor(let factor): factor
        case .fit: fittingFactor
        }
    }

    /// The factor of ``Mode/fit``.
    var fittingFactor: Double {
        guard let imageSize, imageSize.width > 0, imageSize.height > 0, area.width > 0, area.height > 0 else {
            return 1
        }
        let horizontal = Double(area.width) / Double(imageSize.width)
        let vertical = Double(area.height) / Double(imageSize.height)
        return min(1, horizontal, vertical)
    }

    /// The size of the shown image, in points; that of the place while the image's is not known.
    var shownSize: (width: Int, height: Int) {
        guard let imageSize else { return area }
        let factor = factor
        return (
            min(max(1, Int((Double(imageSize.width) * factor).rounded())), Self.longestSide),
            min(max(1, Int((Double(imageSize.height) * factor).rounded())), Self.longestSide)
        )
    }

    /// Enlarges or reduces by a factor. Where it comes by the size that fits, it stops there once; smaller steps than
    /// those of the keyboard lead away from it as well.
    mutating func zoom(by change: Double) {
        guard imageSize != nil, change > 0, change.isFinite else { return }
        // A huge image that fits is smaller than the smallest factor.
        let least = min(Self.range.lowerBound, fittingFactor)
        let next = min(max(factor * change, least), Self.range.upperBound)
        let (before, after) = (factor / fittingFactor, next / fittingFactor)
        let arrives = abs(after - 1) < 0.001
        let passes = abs(before - 1) >= 0.001 && (before < 1) != (after < 1)
        mode = arrives || passes ? .fit : .factor(next)
    }

    /// The factor for a turn of the wheel: positive steps reduce, also parts of one, as touchpads send them.
    static func factor(ofScrolling steps: Double) -> Double { pow(step, -min(max(steps, -8), 8)) }

    /// Changes between the size that fits and the image's own; where these are the same, twice its own.
    mutating func toggle() {
        guard imageSize != nil else { return }
        if mode != .fit { mode = .fit } else { mode = .factor(fittingFactor < 0.98 ? 1 : 2) }
    }

    /// The factor in words, such as "84 %".
    var percentage: String { "\(Int((factor * 100).rounded())) %" }
}
