internal import Glibc

/// A rotation about the middle of an image, clockwise, in a plane whose rows count downwards.
struct Rotation {
    let cosine: Double
    let sine: Double

    /// Creates a rotation. Exact for quarter turns; an angle that is not finite counts as 0.
    init(degrees: Double) {
        let angle = degrees.isFinite ? degrees.remainder(dividingBy: 360) : 0
        let quarters = (angle / 90).rounded()
        let rest = (angle - quarters * 90) * .pi / 180
        let (cosine, sine) = rest == 0 ? (1, 0) : (cos(rest), sin(rest))
        switch Int(quarters) & 3 {
        case 0: (self.cosine, self.sine) = (cosine, sine)
        case 1: (self.cosine, self.sine) = (-sine, cosine)
        case 2: (self.cosine, self.sine) = (-cosine, -sine)
        default: (self.cosine, self.sine) = (sine, -cosine)
        }
    }

    /// The number of quarter turns clockwise, 0 to 3; `nil` for any other angle.
    var quarterTurns: Int? {
        switch (cosine, sine) {
        case (1, 0): 0
        case (0, 1): 1
        case (-1, 0): 2
        case (0, -1): 3
        default: nil
        }
    }

    /// Returns the size of the smallest image that has room for a rotated one, each side rounded up.
    func boundingSize(of size: PixelSize) -> PixelSize {
        let (width, height) = (Double(size.width), Double(size.height))
        func side(_ length: Double) -> Int {
            // What rounding errors add is no reason for another pixel.
            max(1, Int((length - 1e-6).rounded(.up)))
        }
        return PixelSize(
            side(width * abs(cosine) + height * abs(sine)),
            side(width * abs(sine) + height * abs(cosine))
        )
    }
}

extension PixelSize {
    /// Returns the size of the smallest image that has room for one of this size, rotated about its middle.
    public func rotated(byDegrees degrees: Double) -> PixelSize {
        Rotation(degrees: degrees).boundingSize(of: self)
    }
}
