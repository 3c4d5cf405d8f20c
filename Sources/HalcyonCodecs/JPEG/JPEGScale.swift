internal import HalcyonRaster

/// The size at which libjpeg decodes, in eighths of the stored sides.
struct JPEGScale: Hashable {
    /// 1 to 8.
    let eighths: Int32
    /// The size of the decoded rows.
    let size: PixelSize
    /// The parts of the last column and row that are beyond the image.
    let partialEdges: PartialEdges

    /// The smallest scale at which both sides are at least twice as long as those of `target`, both as stored.
    ///
    /// Twice, because what libjpeg leaves out is then out of sight after a good downscale (at least 50 dB against the
    /// full image). Only scales whose inverse transforms libjpeg-turbo has in SIMD: of 12 megapixels, 1/8, 2/8 and 4/8
    /// take 16, 19 and 22 ms, all of it 28 ms, but 3/8 takes 27 ms, and 5/8 to 7/8 take 43 to 68 ms.
    init(of stored: PixelSize, serving target: PixelSize?) {
        var eighths = 8
        if let target, !target.isEmpty {
            eighths =
                [1, 2, 4].first { candidate in
                    let scaled = Self.scaled(stored, by: candidate)
                    return target.width <= scaled.width / 2 && target.height <= scaled.height / 2
                } ?? 8
        }
        self.init(of: stored, eighths: eighths)
    }

    /// The same scale, unless its rows are beyond a bound: then the smallest at which both sides are at least as long as
    /// those of `target`.
    ///
    /// - Parameter limit: The bound on the result, which is scaled down to the target if it is beyond; `nil`: none.
    init(of stored: PixelSize, serving target: PixelSize?, within limit: BitmapLimit?) {
        self.init(of: stored, serving: target)
        guard let limit, let target, !target.isEmpty, !limit.allows(size, depth: .eight) else {
            return
        }
        let sufficient = [1, 2, 4].first { candidate in
            let scaled = Self.scaled(stored, by: candidate)
            return target.width <= scaled.width && target.height <= scaled.height
        }
        self.init(of: stored, eighths: sufficient ?? 8)
    }

    init(of stored: PixelSize, eighths: Int) {
        self.eighths = Int32(eighths)
        size = Self.scaled(stored, by: eighths)
        func excess(_ reduced: Int, _ full: Int) -> PartialEdges.Axis {
            PartialEdges.Axis(leading: 0, trailing: UInt8(truncatingIfNeeded: reduced * 8 - full * eighths))
        }
        partialEdges = PartialEdges(
            horizontal: excess(size.width, stored.width),
            vertical: excess(size.height, stored.height)
        )
    }

    /// libjpeg rounds up (jpeg_calc_output_dimensions).
    private static func scaled(_ size: PixelSize, by eighths: Int) -> PixelSize {
        PixelSize((size.width * eighths + 7) / 8, (size.height * eighths + 7) / 8)
    }
}
