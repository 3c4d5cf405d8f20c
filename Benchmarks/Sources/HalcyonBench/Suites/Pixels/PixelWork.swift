internal import HalcyonCodecs
internal import HalcyonRaster

/// What is done to an image, in words that a program can be started with.
enum PixelWork: Hashable {
    /// A file to a small image that fits into a size.
    case thumbnail(PixelSize)
    /// A file to pixels.
    case decode
    /// All frames of a file to pixels, one after the other.
    case frames
    /// Pixels to other pixels, Lanczos-3.
    case resize(PixelSize)
    /// Pixels to others, by a filter with a radius in pixels.
    case filter(PixelFilter, radius: Int)
    /// Pixels to a file.
    case encode(ImageFormat, quality: Int)
    /// An image with another shape, or in another place.
    case geometry(GeometryWork)

    init?(_ words: [String]) {
        let numbers = words.compactMap(Int.init)
        switch (words.first, numbers.count) {
        case ("thumbnail", 2): self = .thumbnail(PixelSize(numbers[0], numbers[1]))
        case ("resize", 2): self = .resize(PixelSize(numbers[0], numbers[1]))
        case ("decode", 0): self = .decode
        case ("frames", 0): self = .frames
        case ("filter", 1) where words.count == 3:
            guard let filter = PixelFilter(rawValue: words[1]) else { return nil }
            self = .filter(filter, radius: numbers[0])
        case ("encode", 1) where words.count == 3:
            self = .encode(ImageFormat(rawValue: words[1]), quality: numbers[0])
        case ("geometry", 0) where words.count == 2:
            guard let work = GeometryWork(rawValue: words[1]) else { return nil }
            self = .geometry(work)
        default: return nil
        }
    }

    var words: [String] {
        switch self {
        case .thumbnail(let size): ["thumbnail", "\(size.width)", "\(size.height)"]
        case .resize(let size): ["resize", "\(size.width)", "\(size.height)"]
        case .decode: ["decode"]
        case .frames: ["frames"]
        case .filter(let filter, let radius): ["filter", filter.rawValue, "\(radius)"]
        case .encode(let format, let quality): ["encode", format.rawValue, "\(quality)"]
        case .geometry(let work): ["geometry", work.rawValue]
        }
    }
}
