internal import FoundationEssentials
internal import Halcyon

/// Sets the scale of the images that are delivered, which shows whether caches keep what it does.
struct ScalingModifier: ImageModifying {
    func modified(_ image: DecodedImage) -> DecodedImage {
        var image = image
        image.scale = 3
        return image
    }
}

/// Stores PNG backwards, which no codec reads.
struct SearchSerializer: ImageSerializing {
    func encodeParameters(into encoder: inout CacheKeyEncoder) {}

    func data(for image: DecodedImage, original: Data?, context: ImageSerializationContext) throws -> Data? {
        Data(try context.codecs.encode(image.bitmap, as: .png).reversed())
    }

    func image(from data: Data, context: ImageSerializationContext) throws -> DecodedImage {
        try context.decode(Data(data.reversed()))
    }
}

/// A value of the program's own, which is part of no identity.
enum SearchKey: ImageOptionKey {
    static let defaultValue = ""
}
