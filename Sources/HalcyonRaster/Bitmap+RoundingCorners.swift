internal import CRasterKernels

extension Bitmap {
    /// The image with rounded corners, all of the same radius.
    ///
    /// - Parameters:
    ///   - radius: in pixels. Half the shorter side and more gives a pill, or a circle where the image is square.
    ///   - corners: which are rounded, all by default.
    ///   - background: see ``roundingCorners(_:background:)``.
    /// - Throws: as ``roundingCorners(_:background:)`` does.
    public func roundingCorners(
        radius: Double,
        corners: Corners = .all,
        background: Color? = nil
    ) throws -> Bitmap {
        try roundingCorners(CornerRadii(radius, corners: corners), background: background)
    }

    /// The image with rounded corners. Edge pixels are covered by exactly the part that lies inside of the arc.
    ///
    /// - Parameters:
    ///   - radii: in pixels; limited as ``CornerRadii/fitted(to:)`` says.
    ///   - background: what the image is put on, which shows where the corners were and wherever the image is
    ///     transparent. Nothing by default: the corners are transparent.
    /// - Throws: ``BitmapError/outOfMemory(byteCount:)`` where the memory cannot be had.
    public func roundingCorners(_ radii: CornerRadii, background: Color? = nil) throws -> Bitmap {
        let radii = radii.fitted(to: size)
        let roundsAny = radii != CornerRadii()
        guard roundsAny || (background != nil && !isOpaque) else { return self }

        var result = try Bitmap(uninitialized: size, isOpaque: false, depth: depth)
        result.withRows(reading: self) { out, outBytesPerRow, source, sourceBytesPerRow in
            for y in 0..<height {
                (out + y * outBytesPerRow).update(from: source + y * sourceBytesPerRow, count: width * bytesPerPixel)
            }
        }
        result.isOpaque = isOpaque && !roundsAny
        if roundsAny {
            switch depth {
            case .eight:
                result.clipCorners(radii) { pixels, coverage, count in
                    halcyon_multiply_by_coverage(pixels, coverage, count)
                }
            case .sixteen:
                result.clipCorners(radii) { pixels, coverage, count in
                    halcyon_multiply_by_coverage_16(pixels, coverage, count)
                }
            }
        }
        guard let background else { return result }
        var backdrop = try Bitmap(uninitialized: size, isOpaque: false, depth: depth)
        backdrop.fill(PixelRect(size: size), with: background)
        backdrop.draw(result)
        return backdrop
    }

    /// `multiply` multiplies pixels by so many parts of the largest sample.
    private mutating func clipCorners<Sample: FixedWidthInteger>(
        _ radii: CornerRadii,
        multiply: (UnsafeMutablePointer<UInt8>, UnsafePointer<Sample>, Int) -> Void
    ) {
        let (width, height, bytesPerPixel) = (width, height, bytesPerPixel)
        let top = [CornerCoverage(radius: radii.topLeft), CornerCoverage(radius: radii.topRight)]
        let bottom = [CornerCoverage(radius: radii.bottomLeft), CornerCoverage(radius: radii.bottomRight)]
        let topExtent = max(top[0].extent, top[1].extent)
        let bottomExtent = max(bottom[0].extent, bottom[1].extent)
        // A pixel in the middle of an odd side can lose parts to two arcs, or four. Those parts never overlap, so they
        // add up; multiplying one coverage by the other would take too much.
        var losses = [Double](repeating: 0, count: width)
        var coverage = [Sample](repeating: .max, count: width)
        withMutableRows { out, bytesPerRow in
            for y in 0..<height where y < topExtent || y >= height - bottomExtent {
                // How many pixels from each end lose something.
                var touched = [0, 0]
                for (corners, row) in [(top, y), (bottom, height - 1 - y)] {
                    for (end, corner) in corners.enumerated() where row < corner.extent {
                        for column in 0..<min(corner.extent, width) {
                            let loss = corner.loss(column: column, row: row)
                            // The arc is convex: once a pixel is whole, so are all further in.
                            if loss == 0 { break }
                            losses[end == 0 ? column : width - 1 - column] += loss
                            touched[end] = max(touched[end], column + 1)
                        }
                    }
                }
                for span in [0..<touched[0], max(touched[0], width - touched[1])..<width] where !span.isEmpty {
                    for x in span {
                        coverage[x] = Sample((max(0, 1 - losses[x]) * Double(Sample.max)).rounded())
                        losses[x] = 0
                    }
                    coverage.withUnsafeBufferPointer { coverage in
                        guard let start = coverage.baseAddress else { return }
                        multiply(
                            out + y * bytesPerRow + span.lowerBound * bytesPerPixel,
                            start + span.lowerBound,
                            span.count
                        )
                    }
                }
            }
        }
    }
}
