public import HalcyonRaster

extension Bitmap {
    /// Returns the colour that takes the largest part of the image, for a background while it is loaded: the average of
    /// the pixels whose colours agree in the highest four bits of each component, of which there are the most.
    ///
    /// Translucent pixels count by their alpha. It is found in a copy of 100 pixels a side at most.
    ///
    /// - Parameter isCancelled: Asked while the image is scaled down; once it says `true`, the work ends. Default: never.
    /// - Returns: An opaque colour; `nil` for an image that is transparent everywhere.
    /// - Throws: ``CodecError/bitmap(_:)``, `CancellationError`.
    public func dominantColor(isCancelled: () -> Bool = { false }) throws -> Color? {
        let pixels = try PlaceholderPixels(self, isCancelled: isCancelled)
        var sums = [SIMD4<Double>](repeating: SIMD4(), count: 1 << 12)
        for sample in pixels.samples where sample.w > 0 {
            let color = SIMD3(sample.x, sample.y, sample.z) / sample.w
            let levels = [color.x, color.y, color.z].map { min(15, Int(min($0, 1) * 255) >> 4) }
            sums[levels[0] << 8 | levels[1] << 4 | levels[2]] += sample
        }
        guard let greatest = sums.max(by: { $0.w < $1.w }), greatest.w > 0 else { return nil }
        let color = greatest / greatest.w
        return Color(red: color.x, green: color.y, blue: color.z)
    }
}
