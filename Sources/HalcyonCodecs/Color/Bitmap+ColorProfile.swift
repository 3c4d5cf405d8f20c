public import HalcyonRaster

extension Bitmap {
    /// Turns pixels whose colours are those of `profile` into sRGB, in place where no copy shares them.
    ///
    /// Colours outside of sRGB are cut off at its border. The rendering intent is perceptual. Brightness beyond that of
    /// sRGB (the transfers PQ and HLG) is drawn together: up to 60 % of reference white (203 cd/m²) it stays, what is
    /// brighter is compressed below the largest sample. A profile that cannot be used, because it is damaged, larger
    /// than 4 MiB, out of proportion, not of grey or RGB colours, or a grey one on an image with colours, changes
    /// nothing; nor does one that is sRGB within one level of 255, whatever its name.
    ///
    /// - Parameters:
    ///   - profile: What the samples mean.
    ///   - isCancelled: Asked every 16 rows, or 262,144 pixels. Default: never.
    /// - Throws: `CancellationError` where `isCancelled` says so, with the pixels partly converted.
    public mutating func convertToSRGB(
        from profile: ColorProfile,
        isCancelled: () -> Bool = { false }
    ) throws(CancellationError) {
        guard let conversion = ColorConversion.cached(for: profile) else { return }
        switch conversion {
        case .gray where !isGray, .grayTable where !isGray, .inks: return
        default: break
        }
        let depth = depth
        try convertColors(isCancelled: isCancelled) { pixels, count in
            conversion.convert(pixels, count: count, depth: depth)
        }
    }
}
