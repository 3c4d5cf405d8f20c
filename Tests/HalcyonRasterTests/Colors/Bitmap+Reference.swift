import HalcyonRaster

extension SampleDepth {
    var largestSample: Double { self == .eight ? 255 : 65_535 }
}

extension Bitmap {
    /// Noise of either depth, with transparent, opaque and translucent pixels.
    static func noise(_ width: Int, _ height: Int, depth: SampleDepth, seed: UInt64, isOpaque: Bool = false) throws
        -> Bitmap
    {
        switch depth {
        case .eight: try noise(width, height, seed: seed, isOpaque: isOpaque)
        case .sixteen: try wideNoise(width, height, seed: seed, isOpaque: isOpaque)
        }
    }

    /// Pixels from the top left to the bottom right, whatever the depth.
    var pixelValues: [SIMD4<Double>] {
        let samples = samples
        return stride(from: 0, to: samples.count, by: 4).map {
            SIMD4(samples[$0], samples[$0 + 1], samples[$0 + 2], samples[$0 + 3])
        }
    }

    /// Returns the greatest distance of a sample from what `expected` makes of the pixels of another bitmap.
    func distance(from source: Bitmap, _ expected: (SIMD4<Double>) -> SIMD4<Double>) -> Double {
        distance(from: source, source) { value, _ in expected(value) }
    }

    /// Returns the greatest distance of a sample from what `expected` makes of the pixels of two other bitmaps.
    func distance(
        from first: Bitmap,
        _ second: Bitmap,
        _ expected: (SIMD4<Double>, SIMD4<Double>) -> SIMD4<Double>
    ) -> Double {
        let (values, firsts, seconds) = (pixelValues, first.pixelValues, second.pixelValues)
        return values.indices.map { index in
            let difference = values[index] - expected(firsts[index], seconds[index])
            return max(difference.max(), -difference.min())
        }.max() ?? .infinity
    }

    /// A Boolean value that indicates whether no colour is above its alpha.
    var hasPremultipliedValues: Bool {
        pixelValues.allSatisfy { $0.x <= $0.w && $0.y <= $0.w && $0.z <= $0.w }
    }
}
