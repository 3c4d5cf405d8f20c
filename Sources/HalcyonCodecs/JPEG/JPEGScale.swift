internal import HalcyonRaster

/// The size at which libjpeg decodes, in eighths of the stored sides.
struct JPEGScale: Hashable {
    /// 1 to 8.
    let eighths: Int32
    /// The size of the decoded rows.
    let size: PixelSize

    /// The smallest scale at which both sides are at least twice as long as those of `target`, both as stored.
    ///
    /// Twice, because what libjpeg leaves out is then out of sight after a good downscale (at least 50 dB against the
    /// full picture). Only scales whose inverse transforms libjpeg-turbo has in SIMD: the others take longer than a full
    /// decode.
    init(of stored: PixelSize, serving target: PixelSize?) {
        var eighths = 8
        if let target, !target.isEmpty {
            eighths =
                [1, 2, 4].first { candidate in
                    let scaled = Self.scaled(stored, by: candidate)
                    return target.width <= scaled.width / 2 && target.height <= scaled.height / 2
                } ?? 8
        }
        self.eighths = Int32(eighths)
        size = Self.scaled(stored, by: eighths)
    }

    /// libjpeg rounds up (jpeg_calc_output_dimensions).
    private static func scaled(_ size: PixelSize, by eighths: Int) -> PixelSize {
        PixelSize((size.width * eighths + 7) / 8, (size.height * eighths + 7) / 8)
    }
}
