internal import HalcyonRaster

extension ResizeProcessor: PassProcessing {
    func add(to pass: inout BitmapPass, fullSize: PixelSize) throws -> Bool {
        let size = size.pixels()
        guard !size.isEmpty else { throw ProcessingError.emptySize(size) }
        // A pass resamples in the standard way.
        guard resampling == .standard else { return false }
        let scaled = scaledSize(of: fullSize)
        guard pass.scale(to: scaled) else { return false }
        return pass.crop(to: part(of: scaled))
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
