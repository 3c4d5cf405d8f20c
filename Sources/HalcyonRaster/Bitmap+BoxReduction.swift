internal import CRasterKernels

extension Bitmap {
    /// The boxes that each pixel of a result is a weighted sum of, along an axis that is reduced by boxes first. The
    /// finest detail of the result loses a ten-thousandth of its contrast.
    private static let boxesPerPixel = 64
    /// The fewest pixels along the side of a box: so many that it does not matter that some boxes have one more.
    private static let leastBoxLength = 16

    /// Returns the size that the image is reduced to by means over boxes before a filter makes it `scaledSize`; `nil`
    /// where the filter takes the image itself.
    ///
    /// The weights of a filter are as many as the source has pixels, or several times as many, which for a very long
    /// line is more than the memory of the image.
    func boxReducedSize(for scaledSize: PixelSize, filter: ResamplingFilter) -> PixelSize? {
        func length(_ source: Int, _ destination: Int) -> Int {
            let count = destination * Self.boxesPerPixel
            let isReduced =
                count * Self.leastBoxLength <= source
                && ResamplingWeights.isLong(source: source, destination: destination, filter: filter)
            return isReduced ? count : source
        }
        let reduced = PixelSize(length(width, scaledSize.width), length(height, scaledSize.height))
        return reduced == size ? nil : reduced
    }

    /// Returns an image of the means over boxes of pixels.
    ///
    /// - Parameters:
    ///   - reduced: The number of boxes; at most that of the pixels, along each axis.
    ///   - isInLinearLight: A Boolean value that indicates whether means are taken in linear light; then the result has
    ///     16 bits a sample.
    ///   - isCancelled: Called at least for each row of boxes.
    func reducedByBoxes(to reduced: PixelSize, isInLinearLight: Bool, isCancelled: () -> Bool) throws -> Bitmap {
        var result = try Bitmap(uninitialized: reduced, isOpaque: isOpaque, depth: isInLinearLight ? .sixteen : depth)
        let memory = try PixelBuffer(byteCount: reduced.width * MemoryLayout<SIMD4<Double>>.stride)
        let sums = memory.pointer.bindMemory(to: SIMD4<Double>.self, capacity: reduced.width)
        let lightMemory = try PixelBuffer(byteCount: max(reduced.width, PixelSize.pieceLength) * 16)
        let light = lightMemory.pointer.bindMemory(to: Float.self, capacity: lightMemory.byteCount / 4)
        let (bytesPerPixel, resultDepth) = (bytesPerPixel, result.depth)

        try result.withRows(reading: self) { out, outBytesPerRow, source, sourceBytesPerRow in
            var pixelsLeft = 0
            for y in 0..<reduced.height {
                let rows = Self.box(y, of: reduced.height, in: height)
                sums.update(repeating: SIMD4<Double>(), count: reduced.width)
                for row in rows {
                    for x in 0..<reduced.width {
                        let columns = Self.box(x, of: reduced.width, in: width)
                        pixelsLeft -= columns.count
                        if pixelsLeft <= 0 {
                            if isCancelled() { throw CancellationError() }
                            pixelsLeft = 1 << 20
                        }
                        let pixels = source + row * sourceBytesPerRow + columns.lowerBound * bytesPerPixel
                        sums[x] +=
                            isInLinearLight
                            ? depth.lightSum(pixels, columns.count, light) : depth.sum(pixels, columns.count)
                    }
                }
                let line = out + y * outBytesPerRow
                for x in 0..<reduced.width {
                    let mean = sums[x] / Double(rows.count * Self.box(x, of: reduced.width, in: width).count)
                    if isInLinearLight {
                        for channel in 0..<4 { light[x * 4 + channel] = Float(mean[channel]) }
                    } else {
                        resultDepth.store(mean, to: line + x * bytesPerPixel)
                    }
                }
                if isInLinearLight { resultDepth.encodeLight(light, line, reduced.width) }
            }
        }
        withExtendedLifetime((memory, lightMemory)) {}
        return result
    }

    /// Returns the pixels of a box: equally many in each, or one more.
    private static func box(_ index: Int, of count: Int, in length: Int) -> Range<Int> {
        (index * length / count)..<((index + 1) * length / count)
    }
}

extension SampleDepth {
    /// Returns the sums of the samples of pixels.
    fileprivate func sum(_ pixels: UnsafePointer<UInt8>, _ count: Int) -> SIMD4<Double> {
        var sums = SIMD4<UInt64>.zero
        withUnsafeMutableBytes(of: &sums) { bytes in
            guard let sums = bytes.assumingMemoryBound(to: UInt64.self).baseAddress else { return }
            switch self {
            case .eight: halcyon_add_pixels(pixels, count, sums)
            case .sixteen: halcyon_add_pixels_16(pixels, count, sums)
            }
        }
        return SIMD4(Double(sums.x), Double(sums.y), Double(sums.z), Double(sums.w))
    }

    /// Returns the sums of the light of pixels.
    ///
    /// - Parameter light: Memory for a piece of a row.
    fileprivate func lightSum(
        _ pixels: UnsafePointer<UInt8>,
        _ count: Int,
        _ light: UnsafeMutablePointer<Float>
    ) -> SIMD4<Double> {
        var sums = SIMD4<Double>.zero
        for first in stride(from: 0, to: count, by: PixelSize.pieceLength) {
            let pieceCount = min(PixelSize.pieceLength, count - first)
            decodeLight(pixels + first * bytesPerPixel, light, pieceCount)
            for index in 0..<pieceCount {
                let samples = light + index * 4
                sums += SIMD4(Double(samples[0]), Double(samples[1]), Double(samples[2]), Double(samples[3]))
            }
        }
        return sums
    }

    /// Writes a pixel, its samples rounded.
    fileprivate func store(_ pixel: SIMD4<Double>, to out: UnsafeMutablePointer<UInt8>) {
        let rounded = pixel.rounded(.toNearestOrAwayFromZero)
        let bytes = UnsafeMutableRawPointer(out)
        switch self {
        case .eight: bytes.storeBytes(of: SIMD4<UInt8>(rounded), as: SIMD4<UInt8>.self)
        case .sixteen: bytes.storeBytes(of: SIMD4<UInt16>(rounded), as: SIMD4<UInt16>.self)
        }
    }
}
