internal import CRasterKernels

extension Bitmap {
    /// Returns the image rotated about its middle.
    ///
    /// Each pixel of an edge is covered by exactly the part of it that the rotated image fills. Inside, pixels are
    /// interpolated between those of the image; those of its edges count beyond them as well, so that nothing
    /// transparent mixes in. Turns by a multiple of 90° move pixels and lose nothing, where the result has the sides
    /// for it.
    ///
    /// - Parameters:
    ///   - degrees: The angle, clockwise. An angle that is not finite counts as 0.
    ///   - expands: A Boolean value that indicates whether the result is as large as it takes to show the whole image;
    ///     otherwise it has the image's size, and the corners are cut off. Default: `true`.
    ///   - interpolation: Default: ``Interpolation/bicubic``.
    ///   - background: The colour beside the image, and behind it where it is transparent. Default: none; what the image
    ///     does not cover is transparent.
    ///   - isCancelled: Called before every row of the result.
    /// - Throws: `CancellationError` when `isCancelled` returns `true`; ``BitmapError/invalidSize(_:)`` or
    ///   ``BitmapError/outOfMemory(byteCount:)`` as for any new bitmap.
    public func rotated(
        byDegrees degrees: Double,
        expands: Bool = true,
        interpolation: Interpolation = .bicubic,
        background: Color? = nil,
        isCancelled: () -> Bool = { false }
    ) throws -> Bitmap {
        let rotation = Rotation(degrees: degrees)
        let resultSize = expands ? rotation.boundingSize(of: size) : size
        if let turns = rotation.quarterTurns {
            let orientation = Orientation(quarterTurns: turns)
            if orientation.displaySize(of: size) == resultSize {
                let turned = try oriented(orientation, isCancelled: isCancelled)
                return try turned.roundingCorners(CornerRadii(), background: background, isCancelled: isCancelled)
            }
        }
        let backdrop = background ?? .clear
        var result = try Bitmap(uninitialized: resultSize, isOpaque: backdrop.isOpaque(at: depth), depth: depth)
        let rotated = RotatedImage(rotation, of: size, in: resultSize)
        let behind = backdrop.premultipliedSamples(maximum: depth == .eight ? 255 : 65_535)
        let memory = try PixelBuffer(byteCount: resultSize.width * MemoryLayout<Float>.stride)
        let coverage = memory.pointer.bindMemory(to: Float.self, capacity: resultSize.width)
        try result.withRows(reading: self) { out, outBytesPerRow, source, sourceBytesPerRow in
            let image = HalcyonSampledImage(
                pixels: source,
                bytes_per_row: sourceBytesPerRow,
                width: width,
                height: height
            )
            for y in 0..<resultSize.height {
                if isCancelled() { throw CancellationError() }
                let row = out + y * outBytesPerRow
                let (touched, whole) = rotated.columns(ofRow: y)
                depth.fill(row, with: backdrop, touched.lowerBound)
                depth.fill(
                    row + touched.upperBound * bytesPerPixel,
                    with: backdrop,
                    resultSize.width - touched.upperBound
                )
                for x in touched {
                    coverage[x] = whole.contains(x) ? 1 : Float(rotated.coverage(column: x, row: y))
                }
                // Positions are counted from the middles of pixels.
                let start = rotated.source(x: Double(touched.lowerBound) + 0.5, y: Double(y) + 0.5)
                let path = HalcyonSamplePath(
                    x: start.x - 0.5,
                    y: start.y - 0.5,
                    x_step: rotated.step.x,
                    y_step: rotated.step.y
                )
                guard !touched.isEmpty else { continue }
                depth.sample(
                    image,
                    along: path,
                    isBicubic: interpolation == .bicubic,
                    coverage: coverage + touched.lowerBound,
                    behind,
                    row + touched.lowerBound * bytesPerPixel,
                    touched.count
                )
            }
        }
        withExtendedLifetime(memory) {}
        return result
    }
}
