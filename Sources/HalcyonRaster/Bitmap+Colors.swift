extension Bitmap {
    /// Returns the colour of a pixel, not multiplied by its alpha.
    ///
    /// The colours of a faint pixel are as coarse as its alpha; those of a transparent one are 0.
    ///
    /// - Returns: `nil` for a position outside of the image.
    public func color(at position: PixelPoint) -> Color? {
        guard 0..<width ~= position.x, 0..<height ~= position.y else { return nil }
        return withUnsafeBytes { color(at: position.y * bytesPerRow + position.x * bytesPerPixel, in: $0) }
    }

    /// Returns the colours of the pixels inside `rect`, row by row, each as ``color(at:)`` does.
    ///
    /// The part of `rect` outside of the image is left out. Each colour takes 32 bytes.
    ///
    /// - Complexity: O(*n*), where *n* is the number of pixels.
    public func colors(in rect: PixelRect) -> [Color] {
        let rect = rect.intersection(PixelRect(size: size))
        guard !rect.isEmpty else { return [] }
        var colors: [Color] = []
        colors.reserveCapacity(rect.size.width * rect.size.height)
        withUnsafeBytes { bytes in
            for y in rect.origin.y..<rect.origin.y + rect.size.height {
                for x in rect.origin.x..<rect.origin.x + rect.size.width {
                    colors.append(color(at: y * bytesPerRow + x * bytesPerPixel, in: bytes))
                }
            }
        }
        return colors
    }

    /// Returns the colour of the pixel that begins at an offset into all rows.
    private func color(at offset: Int, in bytes: UnsafeRawBufferPointer) -> Color {
        let samples: SIMD4<Double>
        switch depth {
        case .eight:
            samples = SIMD4(bytes.loadUnaligned(fromByteOffset: offset, as: SIMD4<UInt8>.self)) / 255
        case .sixteen:
            samples = SIMD4(bytes.loadUnaligned(fromByteOffset: offset, as: SIMD4<UInt16>.self)) / 65_535
        }
        guard samples.w > 0 else { return .clear }
        // No bitmap should hold a colour above its alpha, but its owner may have written one.
        func straight(_ value: Double) -> Double { min(value / samples.w, 1) }
        return Color(
            red: straight(samples.x),
            green: straight(samples.y),
            blue: straight(samples.z),
            alpha: samples.w
        )
    }
}
