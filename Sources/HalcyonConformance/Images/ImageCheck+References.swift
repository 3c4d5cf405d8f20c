internal import FoundationEssentials
internal import HalcyonCodecs
internal import HalcyonRaster

/// Comparisons with the suite's own pixels.
extension ImageCheck {
    /// Of a drawing, at the size of the suite's own.
    func drawingError(_ data: Data) throws -> Double? {
        try row.references.compactMap { path in
            guard let reference = StraightPixels(reference: path, folder: folder, codecs: codecs) else { return nil }
            let options = DecodeOptions(targetSize: reference.size, color: .asStored)
            let image = try codecs.decode(data, options: options)
            guard image.size == reference.size else { return nil }
            return StraightPixels(image.bitmap, isPremultiplied: true).rootMeanSquareError(of: reference)
        }.min()
    }

    func greatestDifference(from pixels: StraightPixels) -> Int? {
        row.references.compactMap { reference($0, of: pixels.size)?.greatestPremultipliedDifference(from: pixels) }
            .min()
    }

    func rootMeanSquareError(of pixels: StraightPixels) -> Double? {
        guard !row.isVector else { return nil }
        return row.references.compactMap { reference($0, of: pixels.size)?.rootMeanSquareError(of: pixels) }.min()
    }

    private func reference(_ path: String, of size: PixelSize) -> StraightPixels? {
        // Of 16 bits scaled to 8 in another way than by their high bytes.
        guard !path.contains("_to8.") else { return nil }
        let reference = StraightPixels(reference: path, rawSize: size, folder: folder, codecs: codecs)
        return reference?.size == size ? reference : nil
    }
}
