import HalcyonRaster

/// Images that are hard for filters in different ways.
enum FilterImage: String, CaseIterable {
    /// No two pixels have anything to do with each other, and a quarter of them are transparent.
    case noise
    case opaqueNoise
    /// Squares of 8 pixels, which a reduction by a whole factor can alias.
    case checkerboard
    /// Columns of 3 and of 4 pixels in turn, beside the frequencies that a reduction removes.
    case stripes
    /// White, with a black line along two edges.
    case edges

    func bitmap(_ width: Int, _ height: Int, depth: SampleDepth) throws -> Bitmap {
        switch (self, depth) {
        case (.noise, .eight): return try .noise(width, height, seed: 61)
        case (.noise, .sixteen): return try .wideNoise(width, height, seed: 62)
        case (.opaqueNoise, .eight): return try .noise(width, height, seed: 63, isOpaque: true)
        case (.opaqueNoise, .sixteen): return try .wideNoise(width, height, seed: 64, isOpaque: true)
        case (.checkerboard, _): return try drawn(width, height, depth) { ($0 / 8 + $1 / 8) % 2 == 0 }
        case (.stripes, _): return try drawn(width, height, depth) { x, _ in x % 7 < 3 }
        case (.edges, _): return try drawn(width, height, depth) { x, y in x < width - 1 && y > 0 }
        }
    }

    private func drawn(
        _ width: Int,
        _ height: Int,
        _ depth: SampleDepth,
        isWhite: (Int, Int) -> Bool
    ) throws -> Bitmap {
        try Bitmap(width, height, isOpaque: true) { x, y in
            let sample: UInt8 = isWhite(x, y) ? 255 : 0
            return Pixel(sample, sample, sample, 255)
        }
        .converted(to: depth)
    }
}
