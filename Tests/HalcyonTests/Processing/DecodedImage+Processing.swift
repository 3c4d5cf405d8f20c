@testable import Halcyon

extension DecodedImage {
    /// An image of these pixels, as if decoded from a PNG of that size.
    init(processing bitmap: Bitmap) {
        self.init(bitmap: bitmap, info: ImageInfo(format: .png, size: bitmap.size))
    }
}

extension ImageProcessorChain {
    /// Returns the bitmap that the chain makes of another.
    func bitmap(from bitmap: Bitmap, scale: Double = 1) throws -> Bitmap {
        var image = DecodedImage(processing: bitmap)
        image.scale = scale
        return try process(image).bitmap
    }
}
