extension Color {
    /// Returns the samples of a pixel of this colour, multiplied by alpha and not rounded.
    ///
    /// - Parameter maximum: The largest sample.
    func premultipliedSamples(maximum: Double) -> SIMD4<Float> {
        func limited(_ value: Double) -> Double { value > 0 ? min(value, 1) : 0 }
        let factor = limited(alpha) * maximum
        return SIMD4<Float>(
            SIMD4(limited(red) * factor, limited(green) * factor, limited(blue) * factor, factor)
        )
    }
}
