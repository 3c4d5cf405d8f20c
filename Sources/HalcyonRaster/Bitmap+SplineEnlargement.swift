internal import CRasterKernels

extension Bitmap {
    /// Enlarges an image of 16 bits by a whole factor with cubic B-splines (Unser 1999), which smooth, to all pixels of
    /// `result`. Pixels lie as ``reducedByTriangle(factor:isCancelled:)`` says.
    ///
    /// - Parameter result: As large as what was reduced. With samples of 8 bits, those here are 256 times as much.
    func enlargeBySpline(factor: Int, into result: inout Bitmap, isCancelled: () -> Bool) throws {
        let weights = Self.splineWeights(factor: factor)
        let (width, height, resultDepth) = (result.width, result.height, result.depth)
        // Row j, enlarged along the row, stands in the place j % 4, and goes when row j + 4 comes.
        let memory = try PixelBuffer(byteCount: 4 * width * 4 * MemoryLayout<UInt16>.stride)
        let places = memory.pointer.bindMemory(to: UInt16.self, capacity: 4 * width * 4)
        func place(_ row: Int) -> UnsafeMutablePointer<UInt16> { places + row % 4 * width * 4 }

        try result.withRows(reading: self) { out, outBytesPerRow, source, sourceBytesPerRow in
            var enlargedCount = 0
            for y in 0..<height {
                if y % 16 == 0, isCancelled() { throw CancellationError() }
                let (top, phase) = y.quotientAndRemainder(dividingBy: factor)
                while enlargedCount < top + 4 {
                    let row = source + enlargedCount * sourceBytesPerRow
                    halcyon_enlarge_pixels(row, factor, weights, place(enlargedCount), width)
                    enlargedCount += 1
                }
                let rows = (0..<4).map { UnsafePointer(place(top + $0)) }
                let rowWeights = Array(weights[(phase * 4)..<(phase * 4 + 4)])
                switch resultDepth {
                case .eight: halcyon_mix_rows(rows, rowWeights, out + y * outBytesPerRow, width * 4)
                case .sixteen: halcyon_mix_rows_16(rows, rowWeights, out + y * outBytesPerRow, width * 4)
                }
            }
        }
        withExtendedLifetime(memory) {}
    }

    /// Returns the weights of four pixels for each of the `factor` positions between the second and the third, as
    /// fractions of 65,536 that add up to it.
    private static func splineWeights(factor: Int) -> [UInt16] {
        (0..<factor).flatMap { phase in
            let t = Double(phase) / Double(factor)
            let (first, last) = ((1 - t) * (1 - t) * (1 - t) / 6, t * t * t / 6)
            let second = (3 * t * t * t - 6 * t * t + 4) / 6
            let outer = [first, second, last].map { Int(($0 * 65_536).rounded()) }
            return [outer[0], outer[1], 65_536 - outer.reduce(0, +), outer[2]].map { UInt16($0) }
        }
    }
}
