internal import CRasterKernels

extension Bitmap {
    /// Returns the image with its colours adjusted; alpha stays.
    ///
    /// - Parameters:
    ///   - adjustment: The change. ``ColorAdjustment/identity`` gives the same bitmap at no cost.
    ///   - space: The meaning of the components. Default: ``ColorAdjustment/WorkingSpace/sRGB``.
    ///   - isCancelled: Called every 65,536 pixels.
    /// - Throws: `CancellationError` when `isCancelled` returns `true`; ``BitmapError/outOfMemory(byteCount:)``.
    public func adjustingColors(
        _ adjustment: ColorAdjustment,
        in space: ColorAdjustment.WorkingSpace = .sRGB,
        isCancelled: () -> Bool = { false }
    ) throws -> Bitmap {
        try changingColors(.adjustment(adjustment, space), isCancelled: isCancelled)
    }

    /// Returns the image mixed with a colour that has the image's shape.
    ///
    /// - Parameters:
    ///   - color: The colour; where it is translucent, so is its part of the mixture.
    ///   - fraction: The part of the image, limited to 0…1: 0 gives the colour where the image is, 1 the image. Not a
    ///     number counts as 0.
    ///   - isCancelled: Called every 65,536 pixels.
    /// - Throws: `CancellationError` when `isCancelled` returns `true`; ``BitmapError/outOfMemory(byteCount:)``.
    public func overlaid(
        with color: Color,
        fraction: Double,
        isCancelled: () -> Bool = { false }
    ) throws -> Bitmap {
        try changingColors(.overlay(color, fraction: fraction), isCancelled: isCancelled)
    }
}

extension ColorAdjustment {
    /// Returns a function that adjusts the light of pixels of a depth.
    func lightKernel(depth: SampleDepth) -> (UnsafePointer<UInt8>, UnsafeMutablePointer<UInt8>, Int) -> Void {
        let columns = (0..<3).flatMap { [red[$0], green[$0], blue[$0]] } + [offset.x, offset.y, offset.z]
        let values = columns.map(Self.limited)
        return switch depth {
        case .eight: { halcyon_transform_light($0, $1, $2, values) }
        case .sixteen: { halcyon_transform_light_16($0, $1, $2, values) }
        }
    }
}
