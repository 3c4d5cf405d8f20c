import FoundationEssentials

@testable import Halcyon

/// A serializer with closures, equal to those of its name.
struct TestSerializer: ImageSerializing {
    typealias Encode = @Sendable (DecodedImage, Data?, ImageSerializationContext) throws -> Data?
    typealias Decode = @Sendable (Data, ImageSerializationContext) throws -> DecodedImage

    let name: String
    private let encode: Encode
    private let decode: Decode

    init(
        _ name: String,
        encode: @escaping Encode,
        decode: @escaping Decode = { data, context in try context.decode(data) }
    ) {
        self.name = name
        self.encode = encode
        self.decode = decode
    }

    func encodeParameters(into encoder: inout CacheKeyEncoder) {
        encoder.encode(name)
    }

    func data(for image: DecodedImage, original: Data?, context: ImageSerializationContext) throws -> Data? {
        try encode(image, original, context)
    }

    func image(from data: Data, context: ImageSerializationContext) throws -> DecodedImage {
        try decode(data, context)
    }

    static func == (left: TestSerializer, right: TestSerializer) -> Bool { left.name == right.name }

    func hash(into hasher: inout Hasher) {
        hasher.combine(name)
    }
}
