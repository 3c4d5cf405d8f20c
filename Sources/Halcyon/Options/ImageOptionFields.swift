/// A set of fields of ``ImageOptions``.
struct ImageOptionFields: OptionSet, Hashable, Sendable {
    let rawValue: UInt128

    init(rawValue: UInt128) {
        self.rawValue = rawValue
    }

    init(_ field: ImageOptionField) {
        rawValue = 1 << UInt128(field.rawValue)
    }

    init(_ fields: [ImageOptionField]) {
        self = fields.reduce(into: []) { $0.formUnion(ImageOptionFields($1)) }
    }

    /// All fields.
    static let all = ImageOptionFields(ImageOptionField.allCases)

    /// The fields, each on its own.
    var each: some Sequence<ImageOptionField> {
        sequence(state: rawValue) { rest -> ImageOptionField? in
            guard rest != 0 else { return nil }
            defer { rest &= rest - 1 }
            return ImageOptionField(rawValue: rest.trailingZeroBitCount)
        }
    }

    /// Returns those of the fields whose values differ.
    func differences(between left: ImageOptions.Fields, and right: ImageOptions.Fields) -> ImageOptionFields {
        each.reduce(into: []) { differing, field in
            if !field.isEqual(left, right) { differing.formUnion(ImageOptionFields(field)) }
        }
    }

    /// Copies the values of the fields.
    func copy(from source: ImageOptions.Fields, to fields: inout ImageOptions.Fields) {
        for field in each { field.copy(from: source, to: &fields) }
    }

    /// Those of ``CachePolicy``.
    static let cache = ImageOptionFields([
        .reads, .freshness, .staleIfError, .revalidates, .storesInMemory, .storesOnDisk, .storesOriginal,
        .waitsForStore, .memoryExpiration, .diskExpiration, .memoryExtension, .diskExtension, .targetCache,
        .originalCache, .keyRule, .scope, .serializer, .readsOriginal, .fileExtension, .diskDurability, .precision,
    ])
    /// Those of ``DecodePolicy``.
    static let decode = ImageOptionFields([
        .frame, .color, .keepsSixteenBits, .usesEmbeddedThumbnail, .decodeLimits, .typeHint,
        .largestByteCount, .largestSideLength, .videoFrame, .animation, .processesAllFrames, .damage, .codecs,
    ])
    /// Those of ``NetworkPolicy``.
    static let network = ImageOptionFields([
        .networkIsAllowed, .timeouts, .transferLimits, .headers, .method, .hooks, .cookies,
        .acceptedStatusCodes, .acceptedContentTypes, .downloader,
    ])
    /// Those of ``RecoveryPolicy``.
    static let recovery = ImageOptionFields([
        .retry, .alternatives, .lowDataSource, .allowsMetered,
    ])
    /// Those of ``DeliveryPolicy``.
    static let delivery = ImageOptionFields([
        .callbackExecutor, .scale, .imageModifier, .includesOriginalData, .observers,
    ])
}
