internal import HalcyonRaster

extension Color {
    /// Writes the four components.
    func encode(into encoder: inout CacheKeyEncoder) {
        encoder.encode(red)
        encoder.encode(green)
        encoder.encode(blue)
        encoder.encode(alpha)
    }
}
