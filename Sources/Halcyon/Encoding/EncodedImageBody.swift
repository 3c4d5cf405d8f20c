internal import FoundationEssentials
internal import HalcyonCodecs
internal import HalcyonRaster
internal import HalcyonSystem

/// The encoded bytes of an image with their description, shared by the memory cache and all responses.
final class EncodedImageBody: Sendable {
    let data: Data
    let format: ImageFormat
    /// The size of the image that the bytes encode.
    let size: PixelSize
    /// The description in the header of the original.
    let originalInfo: ImageInfo
    /// A Boolean value that indicates whether the bytes are those of the original.
    let isOriginal: Bool
    /// A Boolean value that indicates whether the original was cut short or damaged.
    let isPartial: Bool
    /// The XXH3 checksum of the bytes.
    let checksum: UInt64

    init(
        data: Data,
        format: ImageFormat,
        size: PixelSize,
        originalInfo: ImageInfo,
        isOriginal: Bool = false,
        isPartial: Bool = false
    ) {
        self.data = data
        self.format = format
        self.size = size
        self.originalInfo = originalInfo
        self.isOriginal = isOriginal
        self.isPartial = isPartial
        checksum = Checksum.hash(of: data)
    }

    /// The number of bytes that this value keeps in memory.
    var byteCount: Int { data.count + originalInfo.byteCount }
}

extension ImageInfo {
    /// The number of bytes that this value keeps in memory beside its own size.
    var byteCount: Int {
        var count = frameDurations.count * MemoryLayout<Int>.stride
        if case .icc(let description) = colorSpace { count += description.utf8.count }
        return count
    }
}
