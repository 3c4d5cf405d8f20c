internal import FoundationEssentials
internal import HalcyonRaster

/// A small copy of a picture that cameras put into the EXIF block.
struct JPEGThumbnail {
    let data: Data
    let header: JPEGHeader

    /// How far the sides' ratio may be from that of the picture. Cameras that fit pictures of 3:2 into thumbnails of 4:3
    /// paint black bars, which nobody wants to see.
    private static let greatestDeviation = 0.03

    /// The thumbnail of a file, or `nil` where it has none that can stand for the picture.
    ///
    /// - Parameters:
    ///   - picture: the header of the file.
    ///   - target: the smallest display size that serves, turned as the stored picture is; `nil` for any.
    init?(of picture: JPEGHeader, serving target: PixelSize?) {
        guard let data = picture.exif.flatMap(EXIF.thumbnail), let header = try? JPEGHeader(parsing: data),
            header.unsupportedReason == nil, header.components.count != 4,
            Self.hasShape(of: picture.size, header.size)
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

    private static func hasShape(of picture: PixelSize, _ thumbnail: PixelSize) -> Bool {
        guard thumbnail.width <= picture.width, thumbnail.height <= picture.height else {
            return false
        }
        // Sides have 16 bits.
        let width = Double(thumbnail.height * picture.width) / Double(picture.height)
        let height = Double(thumbnail.width * picture.height) / Double(picture.width)
        let isRounded = abs(width - Double(thumbnail.width)) < 1 || abs(height - Double(thumbnail.height)) < 1
        return isRounded || abs(width / Double(thumbnail.width) - 1) <= greatestDeviation
    }
}
