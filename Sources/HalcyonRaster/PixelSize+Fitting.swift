extension PixelSize {
    /// The largest size of the same shape that fits into `box` ("aspect fit"), whether that enlarges or shrinks.
    ///
    /// Sides are rounded to nearest, and are at least 1. A size without height counts as square.
    public func fitting(in box: PixelSize) -> PixelSize {
        scaled(to: box, byWidthWhere: <=)
    }

    /// The smallest size of the same shape that covers `box` ("aspect fill"), whether that enlarges or shrinks.
    ///
    /// Sides are rounded to nearest, and are at least 1. A size without height counts as square.
    public func filling(_ box: PixelSize) -> PixelSize {
        scaled(to: box, byWidthWhere: >=)
    }

    /// The rectangle of `size` that is cut out of an image of this size at `anchor`.
    ///
    /// The anchor is a point of the image and of the rectangle at once: (0, 0) puts their top left corners together,
    /// (0.5, 0.5) their middles, (1, 1) their bottom right corners. Its components are limited to 0…1 (NaN counts as
    /// 0), the position is rounded to nearest, and what lies outside of the image is cut off.
    public func cropRect(for size: PixelSize, anchor: RelativePoint = .center) -> PixelRect {
        let origin = PixelPoint(
            Self.offset(of: size.width, in: width, at: anchor.x),
            Self.offset(of: size.height, in: height, at: anchor.y)
        )
        return PixelRect(origin: origin, size: size).intersection(PixelRect(size: self))
    }

    private func scaled(to box: PixelSize, byWidthWhere compare: (Double, Double) -> Bool) -> PixelSize {
        let shape = height <= 0 ? PixelSize(1, 1) : PixelSize(max(0, width), height)
        let target = PixelSize(max(0, box.width), max(0, box.height))
        // Which side decides is compared as box.width / width and box.height / height without the divisions. The
        // products are exact up to 2^53, and where they are not, both choices round to nearly the same size.
        let usesWidth = compare(
            Double(target.width) * Double(shape.height),
            Double(target.height) * Double(shape.width)
        )
        if usesWidth, shape.width > 0 {
            let height = Self.scaled(shape.height, by: target.width, over: shape.width)
            return PixelSize(max(1, target.width), max(1, height))
        }
        let width = Self.scaled(shape.width, by: target.height, over: shape.height)
        return PixelSize(max(1, width), max(1, target.height))
    }

    /// side * numerator / denominator, rounded to nearest, or `Int.max` where that does not fit.
    private static func scaled(_ side: Int, by numerator: Int, over denominator: Int) -> Int {
        let divisor = denominator.magnitude
        let product = side.magnitude.multipliedFullWidth(by: numerator.magnitude)
        guard product.high < divisor else { return .max }
        let (quotient, remainder) = divisor.dividingFullWidth(product)
        let rounded = remainder >= divisor - remainder ? quotient.addingReportingOverflow(1).partialValue : quotient
        return Int(clamping: rounded)
    }

    private static func offset(of length: Int, in base: Int, at fraction: Double) -> Int {
        let limited = fraction > 0 ? min(fraction, 1) : 0
        // In floating point, since the difference of two hostile sides need not fit.
        let offset = (limited * (Double(base) - Double(length))).rounded()
        return Int(exactly: offset) ?? (offset < 0 ? .min : .max)
    }
}
