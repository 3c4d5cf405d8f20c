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
