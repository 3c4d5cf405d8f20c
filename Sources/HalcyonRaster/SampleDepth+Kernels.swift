internal import CRasterKernels

/// The loops over pixels, for samples of this depth.
extension SampleDepth {
    /// The pixels of a row in the opposite order.
    func reverse(_ source: UnsafePointer<UInt8>, _ out: UnsafeMutablePointer<UInt8>, _ count: Int) {
        switch self {
        case .eight: halcyon_reverse_pixels(source, out, count)
        case .sixteen: halcyon_reverse_pixels_16(source, out, count)
        }
    }

    /// Rows become columns; `width` and `height` are those of the source.
    func transpose(
        _ source: UnsafePointer<UInt8>,
        _ sourceBytesPerRow: Int,
        _ out: UnsafeMutablePointer<UInt8>,
        _ outBytesPerRow: Int,
        _ width: Int,
        _ height: Int
    ) {
        switch self {
        case .eight: halcyon_transpose_pixels(source, sourceBytesPerRow, out, outBytesPerRow, width, height)
        case .sixteen: halcyon_transpose_pixels_16(source, sourceBytesPerRow, out, outBytesPerRow, width, height)
        }
    }

    /// Out pixel i becomes source pixel columns[i].
    func gather(
        _ source: UnsafePointer<UInt8>,
        _ columns: [Int32],
        _ out: UnsafeMutablePointer<UInt8>,
        _ count: Int
    ) {
        switch self {
        case .eight: halcyon_gather_pixels(source, columns, out, count)
        case .sixteen: halcyon_gather_pixels_16(source, columns, out, count)
        }
    }

    /// Draws `source` over `out`.
    func drawOver(_ source: UnsafePointer<UInt8>, _ out: UnsafeMutablePointer<UInt8>, _ count: Int) {
        switch self {
        case .eight: halcyon_source_over(source, out, count)
        case .sixteen: halcyon_source_over_16(source, out, count)
        }
    }

    /// Writes one colour `count` times.
    func fill(_ out: UnsafeMutablePointer<UInt8>, with color: Color, _ count: Int) {
        switch self {
        case .eight:
            withUnsafeBytes(of: color.premultipliedPixel) { pixel in
                guard let samples = pixel.assumingMemoryBound(to: UInt8.self).baseAddress else { return }
                halcyon_fill_pixels(out, samples, count)
            }
        case .sixteen:
            withUnsafeBytes(of: color.premultipliedPixel16) { pixel in
                guard let samples = pixel.baseAddress else { return }
                halcyon_fill_pixels_16(out, samples, count)
            }
        }
    }

    /// Returns whether every pixel has the largest alpha.
    func isOpaque(_ pixels: UnsafePointer<UInt8>, _ count: Int) -> Bool {
        switch self {
        case .eight: halcyon_is_opaque(pixels, count)
        case .sixteen: halcyon_is_opaque_16(pixels, count)
        }
    }

    /// Multiplies straight colours by alpha, in place.
    func premultiply(_ pixels: UnsafeMutablePointer<UInt8>, _ count: Int) {
        switch self {
        case .eight: _ = halcyon_premultiply(pixels, pixels, count)
        case .sixteen: _ = halcyon_premultiply_16(pixels, pixels, count)
        }
    }

    /// Divides colours by alpha, in place.
    func unpremultiply(_ pixels: UnsafeMutablePointer<UInt8>, _ count: Int) {
        switch self {
        case .eight: halcyon_unpremultiply(pixels, pixels, count)
        case .sixteen: halcyon_unpremultiply_16(pixels, pixels, count)
        }
    }

    /// Turns pixels of this depth into pixels of another.
    func convert(
        _ source: UnsafePointer<UInt8>,
        to depth: SampleDepth,
        _ out: UnsafeMutablePointer<UInt8>,
        _ count: Int
    ) {
        switch (self, depth) {
        case (.eight, .sixteen): halcyon_widen_samples(source, out, count * 4)
        case (.sixteen, .eight): halcyon_narrow_samples(source, out, count * 4)
        case (.eight, .eight), (.sixteen, .sixteen): out.update(from: source, count: count * bytesPerPixel)
        }
    }
}
