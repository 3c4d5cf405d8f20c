public import FoundationEssentials
public import HalcyonCodecs

/// A type that encodes processed images for the disk cache, and decodes what it has encoded. (Unprocessed images are
/// stored as they were received.)
///
/// A serializer is a value: equal serializers do the same. Its identity consists of its type, its ``version`` and its
/// parameters, and is part of the key of the images that it encodes, in memory and on disk, so that no request gets the
/// encoding of another serializer.
///
/// Its functions run on the pixel workers of the pipeline, with no lock held. An error, and a result that cannot be
/// used, never fail a load: what could not be encoded is not stored, what could not be decoded is removed and made
/// again, and the error is reported to the `onFault` of the ``ImageCache`` as an ``ImageError`` with the reason
/// ``ImageError/Reason/serialization(_:)``.
public protocol ImageSerializing: Hashable, Sendable {
    /// The version of the encoding, raised by one whenever equal parameters begin to give other bytes, or other bytes
    /// are understood. Default: 1.
    static var version: Int { get }

    /// Writes every parameter that changes the encoding, in a fixed order.
    func encodeParameters(into encoder: inout CacheKeyEncoder)

    /// A Boolean value that indicates whether the original takes the place of the processed image on disk: it is stored
    /// as it came, and a load that finds it there runs the processors again. The functions are not called then.
    /// Default: `false`.
    var storesOriginal: Bool { get }

    /// Returns the bytes of a processed image for the disk; `nil` if it is not to be stored.
    ///
    /// - Parameters:
    ///   - image: The processed image.
    ///   - original: The bytes that the image was made of; `nil` where they are not known.
    ///   - context: The codecs of the pipeline, and whether the work has been cancelled.
    /// - Returns: At most twice the bytes of the pixels and one MiB more; a larger result is an error, as is an empty
    ///   one.
    func data(for image: DecodedImage, original: Data?, context: ImageSerializationContext) throws -> Data?

    /// Returns the image of bytes that ``data(for:original:context:)`` returned, with pixels of the same size. Default:
    /// that of the codecs, for bytes in a format of theirs.
    ///
    /// The cache checks that the bytes are those that were stored.
    func image(from data: Data, context: ImageSerializationContext) throws -> DecodedImage
}

extension ImageSerializing {
    /// The first version, 1.
    public static var version: Int { 1 }

    /// `false`: the processed image is stored.
    public var storesOriginal: Bool { false }

    /// Returns the image that the codecs decode.
    public func image(from data: Data, context: ImageSerializationContext) throws -> DecodedImage {
        try context.decode(data)
    }
}

/// The means that a serializer is given.
public struct ImageSerializationContext: Sendable {
    /// The codecs of the pipeline or of the call.
    public let codecs: ImageCodecs
    /// The options to decode what was encoded here: the colours as they are, and no limit but memory.
    public let decodeOptions: DecodeOptions
    /// Returns whether the result is not needed any more. A serializer should call it now and then, and throw
    /// `CancellationError` if it returns `true`.
    public let isCancelled: @Sendable () -> Bool

    /// Creates a context, for tests of serializers.
    ///
    /// - Parameters:
    ///   - codecs: Encode and decode. Default: ``ImageCodecs/standard``.
    ///   - decodeOptions: For decoding. Default: the colours as they are.
    ///   - isCancelled: Returns whether the result is not needed any more. Default: `false`.
    public init(
        codecs: ImageCodecs = .standard,
        decodeOptions: DecodeOptions = DecodeOptions(color: .asStored),
        isCancelled: @escaping @Sendable () -> Bool = { false }
    ) {
        self.codecs = codecs
        self.decodeOptions = decodeOptions
        self.isCancelled = isCancelled
    }

    /// Returns the image of bytes in a format of the codecs.
    ///
    /// - Throws: ``CodecError``, `CancellationError`.
    public func decode(_ data: Data) throws -> DecodedImage {
        try codecs.decode(data, options: decodeOptions, isCancelled: isCancelled)
    }
}

/// A serializer as a part of options and keys: two are equal if their types, versions and parameters are.
///
/// All of that is asked for once, when the serializer is passed in: keys are derived with each look-up, and keys of
/// shared work are compared under locks, where no code of a user may run.
final class SerializerHook: Hashable, Sendable {
    let body: any ImageSerializing
    /// The type, the version and the parameters, encoded canonically.
    let identity: [UInt8]
    /// ``ImageSerializing/storesOriginal``.
    let storesOriginal: Bool

    /// `nil` for the automatic serializer, which is no part of keys.
    init?(_ serializer: some ImageSerializing) {
        if (serializer as? ImageSerializer) == ImageSerializer.automatic { return nil }
        body = serializer
        storesOriginal = serializer.storesOriginal
        var encoder = CacheKeyEncoder()
        // As for processors: the mangled name is the same in every process.
        encoder.encode(_mangledTypeName(type(of: serializer)) ?? String(reflecting: type(of: serializer)))
        encoder.encode(type(of: serializer).version)
        serializer.encodeParameters(into: &encoder)
        identity = encoder.bytes
    }

    static func == (left: SerializerHook, right: SerializerHook) -> Bool {
        left === right || left.identity == right.identity
    }

    func hash(into hasher: inout Hasher) {
        hasher.combine(identity)
    }
}
