internal import CRasterKernels

extension SampleDepth {
    /// Mixes each pixel with the colour of a line, by their shares, and what both leave with a backdrop.
    func frame(
        _ pixels: UnsafeMutablePointer<UInt8>,
        image: UnsafePointer<Float>,
        line: UnsafePointer<Float>,
        _ ink: SIMD4<Float>,
        _ backdrop: SIMD4<Float>,
        _ count: Int
    ) {
        ink.withSamples { ink in
            backdrop.withSamples { backdrop in
                switch self {
                case .eight: halcyon_frame_pixels(pixels, image, line, ink, backdrop, count)
                case .sixteen: halcyon_frame_pixels_16(pixels, image, line, ink, backdrop, count)
                }
            }
        }
    }

    /// Writes the pixels along a path through an image, each by its coverage over a backdrop.
    ///
    /// - Parameter isBicubic: A Boolean value that indicates whether 4 × 4 pixels are interpolated instead of 2 × 2.
    func sample(
        _ image: HalcyonSampledImage,
        along path: HalcyonSamplePath,
        isBicubic: Bool,
        coverage: UnsafePointer<Float>,
        _ backdrop: SIMD4<Float>,
        _ out: UnsafeMutablePointer<UInt8>,
        _ count: Int
    ) {
        var (image, path) = (image, path)
        backdrop.withSamples { backdrop in
            switch (self, isBicubic) {
            case (.eight, false): halcyon_sample_bilinear(&image, &path, coverage, backdrop, out, count)
            case (.sixteen, false): halcyon_sample_bilinear_16(&image, &path, coverage, backdrop, out, count)
            case (.eight, true): halcyon_sample_bicubic(&image, &path, coverage, backdrop, out, count)
            case (.sixteen, true): halcyon_sample_bicubic_16(&image, &path, coverage, backdrop, out, count)
            }
        }
    }
}

extension SIMD4<Float> {
    /// Calls a closure with the four numbers in memory.
    fileprivate func withSamples(_ body: (UnsafePointer<Float>) -> Void) {
        withUnsafeBytes(of: self) { bytes in
            guard let samples = bytes.assumingMemoryBound(to: Float.self).baseAddress else { return }
            body(samples)
        }
    }
}
