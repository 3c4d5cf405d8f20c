/// A set of fields of ``ImageOptions``.
struct ImageOptionFields: OptionSet, Hashable, Sendable {
    let rawValue: UInt64

    init(rawValue: UInt64) {
        self.rawValue = rawValue
    }

    init(_ field: ImageOptionField) {
        rawValue = 1 << UInt64(field.rawValue)
    }

    init(_ fields: [ImageOptionField]) {
        self = fields.reduce(into: []) { $0.formUnion(ImageOptionFields($1)) }
    }

    /// The fields, each on its own.
    var each: some Sequence<ImageOptionField> {
        ImageOptionField.allCases.lazy.filter { !isDisjoint(with: ImageOptionFields($0)) }
    }

    /// Those of ``CachePolicy``.
    static let cache = ImageOptionFields([
        .reads, .freshness, .staleIfError, .revalidates, .storesInMemory, .storesOnDisk, .storesOriginal,
        .waitsForStore, .memoryExpiration, .diskExpiration, .memoryExtension, .diskExtension, .targetCache,
        .originalCache, .keyRule, .scope, .serializer,
    ])
    /// Those of ``DecodePolicy``.
    static let decode = ImageOptionFields([
        .frame, .color, .keepsSixteenBits, .usesEmbeddedThumbnail, .decodeLimits,
    ])
    /// Those of ``NetworkPolicy``.
    static let network = ImageOptionFields([
        .networkIsAllowed, .timeouts, .transferLimits, .headers, .method, .requestModifier, .redirectHandler,
        .authenticationResponder, .responseModifier, .acceptedStatusCodes, .acceptedContentTypes, .responseReviewer,
        .dataModifier,
    ])
    /// Those of ``RecoveryPolicy``.
    static let recovery = ImageOptionFields([
        .retry, .alternatives, .lowDataSource, .allowsMetered,
    ])
}
