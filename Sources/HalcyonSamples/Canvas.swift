import HalcyonRaster

/// Draws a scene into pixels, bands of rows at a time on all processors.
struct Canvas: Sendable {
    /// The pixels to draw.
    let size: PixelSize
    /// Places looked at along each side of a pixel; their mean is the pixel.
    let samplesPerSide: Int
    /// The strength of the film grain, as a share of full brightness; at least a little keeps gradients from banding.
    let grain: Float

    init(_ size: PixelSize, samplesPerSide: Int = 2, grain: Float = 0.012) {
        self.size = size
        self.samplesPerSide = samplesPerSide
        self.grain = grain
    }

    private static let rowsPerBand = 32

    /// The scene's pixels.
    func draw(_ scene: some Scene, isOpaque: Bool = true) async throws(BitmapError) -> Bitmap {
        var bitmap = try Bitmap(size: size, isOpaque: isOpaque)
        let bytesPerRow = bitmap.bytesPerRow
        for await (firstRow, pixels) in bands(of: scene) {
            bitmap.withUnsafeMutableBytes { bytes in
                for row in 0..<(pixels.count / size.width) {
                    let start = (firstRow + row) * bytesPerRow
                    for column in 0..<size.width {
                        bytes.storeBytes(
                            of: pixels[row * size.width + column],
                            toByteOffset: start + column * 4,
                            as: SIMD4<UInt8>.self
                        )
                    }
                }
            }
        }
        return bitmap
    }

    private func bands(of scene: some Scene) -> AsyncStream<(firstRow: Int, pixels: [SIMD4<UInt8>])> {
        AsyncStream { continuation in
            let drawing = Task {
                await withTaskGroup(of: Void.self) { group in
                    for firstRow in stride(from: 0, to: size.height, by: Self.rowsPerBand) {
                        group.addTask {
                            let rows = firstRow..<min(firstRow + Self.rowsPerBand, size.height)
                            continuation.yield((firstRow, pixels(of: scene, rows: rows)))
                        }
                    }
                }
                continuation.finish()
            }
            continuation.onTermination = { _ in drawing.cancel() }
        }
    }

    private func pixels(of scene: some Scene, rows: Range<Int>) -> [SIMD4<UInt8>] {
        let noise = Noise(0xF11A)
        let step = 1 / Float(size.height)
        let part = step / Float(samplesPerSide)
        let share = 1 / Float(samplesPerSide * samplesPerSide)
        var pixels: [SIMD4<UInt8>] = []
        pixels.reserveCapacity(rows.count * size.width)
        for row in rows {
            for column in 0..<size.width {
                var color = RGB.zero
                var coverage: Float = 0
                for vertical in 0..<samplesPerSide {
                    for horizontal in 0..<samplesPerSide {
                        let point = Point(
                            Float(column) * step + (Float(horizontal) + 0.5) * part,
                            Float(row) * step + (Float(vertical) + 0.5) * part
                        )
                        let covered = scene.coverage(at: point)
                        if covered > 0 {
                            color += scene.color(at: point).clamped(lowerBound: .zero, upperBound: .one) * covered
                            coverage += covered
                        }
                    }
                }
                let dust = (noise.random(Int32(column), Int32(row)) - 0.5) * grain * coverage * share
                let alpha = (coverage * share * 255).rounded()
                let limit = RGB(repeating: alpha)
                let samples = ((color * share + dust) * 255).clamped(lowerBound: .zero, upperBound: limit)
                pixels.append(SIMD4(SIMD4<Float>(samples, alpha).rounded(.toNearestOrEven)))
            }
        }
        return pixels
    }
}
