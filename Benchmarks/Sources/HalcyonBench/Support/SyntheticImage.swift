internal import FoundationEssentials
internal import HalcyonCodecs
internal import HalcyonRaster

/// Images drawn by formula that cost a codec about what photographs cost: areas of slowly changing colour, edges,
/// and the noise of a sensor.
enum SyntheticImage {
    /// An image like a photograph.
    ///
    /// - Parameter hasAlpha: Whether it fades out towards its borders.
    static func photograph(_ size: PixelSize, hasAlpha: Bool = false) throws -> Bitmap {
        var bitmap = try Bitmap(size: size, isOpaque: !hasAlpha)
        let bytesPerRow = bitmap.bytesPerRow
        let shapes = Self.shapes()
        var random = SeededRandom(seed: 6)
        bitmap.withUnsafeMutableBytes { pixels in
            for y in 0..<size.height {
                let v = Float(y) / Float(size.height)
                for x in 0..<size.width {
                    let u = Float(x) / Float(size.width)
                    var color = SIMD4<Float>(90 + 80 * u, 110 + 60 * v, 150 - 70 * u * v, 255)
                    for shape in shapes {
                        color += shape.color * shape.coverage(u, v)
                    }
                    // Four uniform numbers make one that is near to normal, with a standard deviation of 3.
                    let bits = random.next()
                    let noise = Float((bits & 255) + (bits >> 8 & 255) + (bits >> 16 & 255) + (bits >> 24 & 255))
                    color += (noise - 510) * 0.02
                    let alpha = hasAlpha ? min(1, 6 * min(min(u, 1 - u), min(v, 1 - v))) : 1
                    color[3] = 255
                    color = (color.clamped(lowerBound: .zero, upperBound: .init(repeating: 255)) * alpha)
                    let place = y * bytesPerRow + x * 4
                    for channel in 0..<4 {
                        pixels[place + channel] = UInt8(color[channel])
                    }
                }
            }
        }
        return bitmap
    }

    /// 16 × 16 pixels of PNG, which cost next to nothing to decode.
    static func icon() throws -> Data {
        try ImageCodecs.standard.encode(try photograph(PixelSize(16, 16)), as: .png)
    }

    /// A disc, soft or sharp, that adds to what lies below.
    private struct Shape {
        let x: Float
        let y: Float
        let radius: Float
        let sharpness: Float
        let color: SIMD4<Float>

        func coverage(_ u: Float, _ v: Float) -> Float {
            let distance = ((u - x) * (u - x) + (v - y) * (v - y)).squareRoot()
            return max(0, min(1, (radius - distance) * sharpness))
        }
    }

    private static func shapes() -> [Shape] {
        var random = SeededRandom(seed: 7)
        func number(_ range: ClosedRange<Float>) -> Float { Float.random(in: range, using: &random) }
        return (0..<24).map { _ in
            Shape(
                x: number(0...1),
                y: number(0...1),
                radius: number(0.02...0.3),
                sharpness: number(3...400),
                color: SIMD4(number(-60...60), number(-60...60), number(-60...60), 0)
            )
        }
    }
}
