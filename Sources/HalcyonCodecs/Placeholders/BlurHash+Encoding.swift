public import HalcyonRaster

extension BlurHash {
    /// Creates the hash of an image (https://github.com/woltapp/blurhash, Algorithm.md).
    ///
    /// It is made of a copy of 100 pixels a side at most.
    ///
    /// - Parameters:
    ///   - bitmap: The image, in sRGB.
    ///   - horizontalComponentCount: The number of components from left to right, from 1 to 9. Default: 4.
    ///   - verticalComponentCount: The number of components from top to bottom, from 1 to 9. Default: 3.
    ///   - background: The colour below translucent pixels, as a hash has no alpha. Default: white.
    ///   - isCancelled: Asked between components; once it says `true`, the work ends. Default: never.
    /// - Throws: ``CodecError/bitmap(_:)``, `CancellationError`; ``CodecError/cannotEncode(_:reason:)`` for other numbers
    ///   of components.
    public init(
        _ bitmap: Bitmap,
        horizontalComponentCount: Int = 4,
        verticalComponentCount: Int = 3,
        background: Color = .white,
        isCancelled: () -> Bool = { false }
    ) throws {
        guard 1...9 ~= horizontalComponentCount, 1...9 ~= verticalComponentCount else {
            let counts = "\(horizontalComponentCount) × \(verticalComponentCount)"
            throw CodecError.cannotEncode(.blurHash, reason: "it has 1 to 9 components a side, not \(counts)")
        }
        let pixels = try PlaceholderPixels(bitmap, isCancelled: isCancelled)
        let ground = SIMD3(background.red, background.green, background.blue)
        let light = pixels.samples.map { sample -> SIMD3<Double> in
            let shown = SIMD3(sample.x, sample.y, sample.z) + ground * (1 - sample.w)
            return SIMD3(
                ColorShaper.decoded(shown.x),
                ColorShaper.decoded(shown.y),
                ColorShaper.decoded(shown.z)
            )
        }
        let columns = CosineBasis(count: horizontalComponentCount, length: pixels.size.width, offset: 0)
        let rows = CosineBasis(count: verticalComponentCount, length: pixels.size.height, offset: 0)
        var components: [SIMD3<Double>] = []
        for row in 0..<verticalComponentCount {
            for column in 0..<horizontalComponentCount {
                if isCancelled() { throw CancellationError() }
                let width = pixels.size.width
                components.append(PlaceholderPixels.coefficient(of: light, width: width, column, row, columns, rows))
            }
        }
        try self.init(Self.text(components, horizontalComponentCount, verticalComponentCount))
    }

    /// Returns the characters of a hash: numbers of components, the greatest of them, the average colour, the others.
    private static func text(_ components: [SIMD3<Double>], _ columnCount: Int, _ rowCount: Int) -> String {
        // Each wave but the constant one counts twice, as the mean of its square is a half.
        let waves = components.dropFirst().map { $0 * 2 }
        let greatest = waves.reduce(0) { max($0, abs($1.x), abs($1.y), abs($1.z)) }
        let level = max(0, min(82, Int((greatest * 166 - 0.5).rounded(.down))))
        let maximum = Double(level + 1) / 166
        let average = [components[0].x, components[0].y, components[0].z].reduce(0) { number, light in
            number << 8 | Int((ColorShaper.encoded(min(max(light, 0), 1)) * 255).rounded())
        }
        func digit(_ value: Double) -> Int {
            let share = value / maximum
            let root = (share < 0 ? -1 : 1) * abs(share).squareRoot()
            return max(0, min(18, Int((root * 9 + 9.5).rounded(.down))))
        }
        var text = Base83.text(of: columnCount - 1 + (rowCount - 1) * 9, count: 1)
        text += Base83.text(of: level, count: 1)
        text += Base83.text(of: average, count: 4)
        for wave in waves {
            text += Base83.text(of: (digit(wave.x) * 19 + digit(wave.y)) * 19 + digit(wave.z), count: 2)
        }
        return text
    }
}
