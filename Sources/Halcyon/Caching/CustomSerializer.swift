public import FoundationEssentials
public import HalcyonCodecs
internal import HalcyonSystem

/// A serializer with closures. Two with the same identifier are taken to be the same.
public struct CustomSerializer: ImageSerializing {
    /// A function that encodes; see ``ImageSerializing/data(for:original:context:)``.
    public typealias Encode = @Sendable (DecodedImage, Data?, ImageSerializationContext) throws -> Data?
    /// A function that decodes; see ``ImageSerializing/image(from:context:)``.
    public typealias Decode = @Sendable (Data, ImageSerializationContext) throws -> DecodedImage

    /// The name of the encoding, its parameters and its version included, such as "watermarked-2". It stands in the
    /// disk cache as it is.
    public let identifier: String
    private let encode: Encode
    private let decode: Decode

    /// Creates a serializer.
    ///
    /// - Parameters:
    ///   - identifier: The name of the encoding, its parameters and its version included.
    ///   - encode: Returns the bytes of an image; `nil` if it is not to be stored. It gets the bytes that the image was
    ///     made of, where they are known.
    ///   - decode: Returns the image of such bytes. Default: that of the codecs.
    public init(
        _ identifier: String,
        encode: @escaping Encode,
        decode: @escaping Decode = { data, context in try context.decode(data) }
    ) {
        self.identifier = identifier
        self.encode = encode
        self.decode = decode
    }

    /// Writes the identifier.
    public func encodeParameters(into encoder: inout CacheKeyEncoder) {
        encoder.encode(identifier)
    }

    /// Returns the result of the closure.
    public func data(for image: DecodedImage, original: Data?, context: ImageSerializationContext) throws -> Data? {
        try encode(image, original, context)
    }

    /// Returns the result of the closure.
    public func image(from data: Data, context: ImageSerializationContext) throws -> DecodedImage {
        try decode(data, context)
    }

    /// Returns whether both have the same identifier, byte by byte.
    public static func == (left: CustomSerializer, right: CustomSerializer) -> Bool {
        ExactString(left.identifier) == ExactString(right.identifier)
    }

    /// Hashes the identifier.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(ExactString(identifier))
    }
}
