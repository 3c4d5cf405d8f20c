public import HalcyonCodecs
public import HalcyonRaster

/// A processor that adjusts colours, in one pass however many adjustments there are; alpha stays.
public struct ColorAdjustmentProcessor: ImageProcessing {
    /// The adjustments, in their order. Components are limited to 0…1 after the last.
    public let adjustments: [ColorAdjustment]
    /// The meaning of the components.
    public let space: ColorAdjustment.WorkingSpace

    /// A processor with these parameters.
    public init(_ adjustments: [ColorAdjustment], in space: ColorAdjustment.WorkingSpace) {
        self.adjustments = adjustments
        self.space = space
    }

    /// `true`: each pixel is changed on its own.
    public var scalesWithImage: Bool { true }

    /// Writes the space, and the coefficients of each adjustment.
    public func encodeParameters(into encoder: inout CacheKeyEncoder) {
        encoder.encode(space.rawValue)
        encoder.encode(adjustments.count)
        for adjustment in adjustments {
            for row in [adjustment.red, adjustment.green, adjustment.blue, adjustment.offset] {
                encoder.encode(row.x)
                encoder.encode(row.y)
                encoder.encode(row.z)
            }
        }
    }

    /// Returns the adjusted image.
    ///
    /// - Throws: ``BitmapError``, `CancellationError`.
    public func process(_ image: DecodedImage, isCancelled: @Sendable () -> Bool) throws -> DecodedImage {
        let adjustment = ColorAdjustment.combining(adjustments)
        guard adjustment != .identity else { return image }
        return image.replacingBitmap(
            try image.bitmap.adjustingColors(adjustment, in: space, isCancelled: isCancelled)
        )
    }
}

extension ColorAdjustmentProcessor: PassProcessing {
    func add(to pass: inout BitmapPass, fullSize: PixelSize) -> Bool {
        let adjustment = ColorAdjustment.combining(adjustments)
        // An image that stays as it is keeps its full size, which the processors after it may look at.
        guard adjustment != .identity else { return false }
        return pass.add(.adjustment(adjustment, space))
    }
}
