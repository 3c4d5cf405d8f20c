internal import HalcyonRaster

extension ResizeProcessor: PassProcessing {
    func add(to pass: inout BitmapPass, fullSize: PixelSize) throws -> Bool {
        guard !size.isEmpty else { throw ProcessingError.emptySize(size) }
        // A pass resamples in the standard way.
        guard resampling == .standard else { return false }
        // The ratio of the sides is that of the whole image, as in `workingSize(for:)`.
        let scaled = mode.resultSize(of: fullSize, in: size, enlarges: enlarges)
        guard pass.scale(to: scaled) else { return false }
        return mode == .fill && scaled != size ? pass.crop(to: scaled.cropRect(for: size, anchor: anchor)) : true
    }
}

extension TargetSizeProcessor: PassProcessing {
    func add(to pass: inout BitmapPass, fullSize: PixelSize) -> Bool {
        let scaled = size.size(of: fullSize)
        // An image that has the size already keeps its full size, which the processors after it may look at.
        guard scaled != pass.size else { return false }
        return pass.scale(to: scaled)
    }
}
