internal import HalcyonCodecs
internal import HalcyonRaster

/// A processor that adjusts colours, in one pass however many adjustments there are; alpha stays.
struct ColorAdjustmentProcessor: ImageProcessing {
    let adjustments: [ColorAdjustment]
    let space: ColorAdjustment.WorkingSpace

    /// `true`: each pixel is changed on its own.
    var scalesWithImage: Bool { true }

    func encodeParameters(into encoder: inout CacheKeyEncoder) {
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

    func process(_ image: DecodedImage, isCancelled: @Sendable () -> Bool) throws -> DecodedImage {
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
