internal import FoundationEssentials
internal import HalcyonRaster

/// A small copy of an image that cameras put into the EXIF block.
struct JPEGThumbnail {
    let data: Data
    let header: JPEGHeader

    /// The greatest deviation of the sides' ratio from that of the image. Cameras that fit images of 3:2 into
    /// thumbnails of 4:3 paint black bars, which are not to be shown.
    private static let greatestDeviation = 0.03

    /// The thumbnail of a file, or `nil` where it has none that can stand for the image.
    ///
    /// - Parameters:
    ///   - image: the header of the file.
    ///   - target: the smallest display size that serves, turned as the stored image is; `nil` for any.
    init?(of image: JPEGHeader, serving target: PixelSize?) {
        guard let data = image.exif.flatMap(EXIF.thumbnail), let header = try? JPEGHeader(parsing: data),
            header.unsupportedReason == nil, header.components.count != 4,
            Self.hasShape(of: image.size, header.size)
        else {
            return nil
        }
        if let target {
            guard header.size.width >= target.width, header.size.height >= target.height else {
                return nil
            }
        }
        self.data = data
        self.header = header
    }

    private static func hasShape(of size: PixelSize, _ thumbnail: PixelSize) -> Bool {
        guard thumbnail.width <= size.width, thumbnail.height <= size.height else {
            return false
        }
        // Sides have 16 bits.
        let width = Double(thumbnail.height * size.width) / Double(size.height)
        let height = Double(thumbnail.width * size.height) / Double(size.width)
        let isRounded = abs(width - Double(thumbnail.width)) < 1 || abs(height - Double(thumbnail.height)) < 1
        return isRounded || abs(width / Double(thumbnail.width) - 1) <= greatestDeviation
    }
}
