import FoundationEssentials
import HTTPTypes
import HalcyonTesting
import Testing

@testable import Halcyon

@Suite("Each field of the options")
struct OptionTableTests {
    /// A field with its default, and options that set it to other values.
    private struct Row: Sendable {
        let field: ImageOptionField
        /// Returns the number of the option whose value fields have, from 1; 0 for the default.
        let number: @Sendable (ImageOptions.Fields) -> Int?
        let options: [ImageOption]

        init<Value: Equatable & Sendable>(
            _ field: ImageOptionField,
            _ path: KeyPath<ImageOptions.Fields, Value> & Sendable,
            _ standard: Value,
            _ options: (ImageOption, Value)...
        ) {
            self.field = field
            let values = [standard] + options.map(\.1)
            number = { fields in values.firstIndex { $0 == fields[keyPath: path] } }
            self.options = options.map(\.0)
        }
    }

    private static let caches = (0..<2).map { _ in
        ImageCache(disk: DiskCache.Configuration(folder: TestPipeline.temporaryPath()), memoryPressure: nil)
    }

    /// Type-checks each row by itself.
    @resultBuilder
    private enum Rows {
        static func buildExpression(_ row: Row) -> Row { row }
        static func buildBlock(_ rows: Row...) -> [Row] { rows }
    }

    private static let rows: [Row] = caching + decoding + network + recovery

    @Rows private static var caching: [Row] {
        Row(
            .reads,
            \.cache.reads,
            .all,
            (.forceRefresh, .none),
            (.fromMemoryCacheOrRefresh, .memory),
            (.fromDiskCacheOrRefresh, .disk)
        )
        Row(
            .freshness,
            \.cache.freshness,
            .server,
            (.ignoringServer, .ignoringServer),
            (.expiration(.never), .expiration(.never))
        )
        Row(
            .staleIfError,
            \.cache.staleIfError,
            .asAllowed,
            (.staleIfError(.never), .never),
            (.staleIfError(.always), .always)
        )
        Row(
            .revalidates,
            \.cache.revalidates,
            false,
            (.revalidate, true),
            (ImageOption(.revalidates) { $0.cache.revalidates = false }, false)
        )
        Row(
            .storesInMemory,
            \.cache.storesInMemory,
            true,
            (.noCache, false),
            (ImageOption(.storesInMemory) { $0.cache.storesInMemory = true }, true)
        )
        Row(
            .storesOnDisk,
            \.cache.storesOnDisk,
            true,
            (.cacheMemoryOnly, false),
            (ImageOption(.storesOnDisk) { $0.cache.storesOnDisk = true }, true)
        )
        Row(
            .storesOriginal,
            \.cache.storesOriginal,
            false,
            (.cacheOriginalImage, true),
            (ImageOption(.storesOriginal) { $0.cache.storesOriginal = false }, false)
        )
        Row(
            .waitsForStore,
            \.cache.waitsForStore,
            false,
            (.waitForCache, true),
            (ImageOption(.waitsForStore) { $0.cache.waitsForStore = false }, false)
        )
        Row(
            .memoryExpiration,
            \.cache.memoryExpiration,
            nil,
            (.memoryCacheExpiration(.never), .never),
            (.memoryCacheExpiration(.days(1)), .days(1))
        )
        Row(
            .diskExpiration,
            \.cache.diskExpiration,
            nil,
            (.diskCacheExpiration(.never), .never),
            (.diskCacheExpiration(.days(1)), .days(1))
        )
        Row(
            .memoryExtension,
            \.cache.memoryExtension,
            .originalLifetime,
            (.memoryCacheAccessExtending(.none), .none),
            (.memoryCacheAccessExtending(.to(.never)), .to(.never))
        )
        Row(
            .diskExtension,
            \.cache.diskExtension,
            .originalLifetime,
            (.diskCacheAccessExtending(.none), .none),
            (.diskCacheAccessExtending(.to(.never)), .to(.never))
        )
        Row(
            .targetCache,
            \.cache.targetCache,
            nil,
            (.targetCache(caches[0]), caches[0]),
            (.targetCache(caches[1]), caches[1])
        )
        Row(
            .originalCache,
            \.cache.originalCache,
            nil,
            (.originalCache(caches[0]), caches[0]),
            (.originalCache(caches[1]), caches[1])
        )
        Row(
            .keyRule,
            \.cache.keyRule,
            nil,
            (.cacheKeyRule(.amazonS3), .amazonS3),
            (.cacheKeyRule(.azureStorage), .azureStorage)
        )
        Row(
            .scope,
            \.cache.scope,
            .credential,
            (.cacheScope("a"), .named("a")),
            (.sharedAcrossCredentials, .sharedAcrossCredentials)
        )
        Row(
            .serializer,
            \.serializer,
            .automatic,
            (.serializer(.original), .original),
            (.serializer(.automatic(quality: 1)), .automatic(quality: 1))
        )
        Row(.readsOriginal, \.cache.readsOriginal, true, (.readsOriginal(false), false), (.readsOriginal(true), true))
        Row(.fileExtension, \.cache.fileExtension, nil, (.fileExtension("jpg"), "jpg"), (.fileExtension("png"), "png"))
        Row(
            .diskDurability,
            \.cache.diskDurability,
            nil,
            (.diskDurability(.full), .full),
            (.diskDurability(.normal), .normal)
        )
        Row(
            .processing,
            \.processing,
            .identity,
            (.processor(.crop(to: PixelSize(1, 1))), .crop(to: PixelSize(1, 1))),
            (.processor(.crop(to: PixelSize(2, 2))), .crop(to: PixelSize(2, 2)))
        )
        Row(.priority, \.priority, .normal, (.priority(.low), .low), (.priority(.high), .high))
    }

    @Rows private static var decoding: [Row] {
        Row(.frame, \.decode.frame, 0, (.frame(1), 1), (.frame(2), 2))
        Row(.color, \.decode.color, .sRGB, (.color(.asStored), .asStored), (.color(.sRGB), .sRGB))
        Row(
            .keepsSixteenBits,
            \.decode.keepsSixteenBits,
            false,
            (.keepSixteenBits, true),
            (ImageOption(.keepsSixteenBits) { $0.decode.keepsSixteenBits = false }, false)
        )
        Row(
            .usesEmbeddedThumbnail,
            \.decode.usesEmbeddedThumbnail,
            false,
            (.useEmbeddedThumbnail, true),
            (ImageOption(.usesEmbeddedThumbnail) { $0.decode.usesEmbeddedThumbnail = false }, false)
        )
        Row(
            .decodeLimits,
            \.decode.limits,
            .standard,
            (.decodeLimits(DecodeLimits(pixelCount: 1)), DecodeLimits(pixelCount: 1)),
            (.decodeLimits(DecodeLimits(pixelCount: 2)), DecodeLimits(pixelCount: 2))
        )
    }

    @Rows private static var network: [Row] {
        Row(
            .networkIsAllowed,
            \.network.isAllowed,
            true,
            (.onlyFromCache, false),
            (ImageOption(.networkIsAllowed) { $0.network.isAllowed = true }, true)
        )
        Row(
            .timeouts,
            \.network.timeouts,
            nil,
            (.timeouts(.download(.seconds(1))), .download(.seconds(1))),
            (.downloadTimeout(.seconds(2)), .download(.seconds(2)))
        )
        Row(
            .transferLimits,
            \.network.limits,
            nil,
            (
                ImageOption(.transferLimits) { $0.network.limits = TransferLimits(bodyBytes: 1) },
                TransferLimits(bodyBytes: 1)
            ),
            (ImageOption(.transferLimits) { $0.network.limits = .standard }, .standard)
        )
        Row(
            .headers,
            \.network.headers,
            [:],
            (.headers([.accept: "a"]), [.accept: "a"]),
            (.headers([.range: "b"]), [.range: "b"])
        )
        Row(.method, \.network.method, nil, (.method(.post), .post), (.method(.put), .put))
        hook(
            .requestModifier,
            \.network.rules.requestModifier,
            { .requestModifier($0) },
            RequestModifier { $0 },
            RequestModifier { $0 }
        )
        hook(
            .redirectHandler,
            \.network.rules.handling.redirectHandler,
            { .redirectHandler($0) },
            RedirectHandler.refusing,
            RedirectHandler { $1 }
        )
        hook(
            .authenticationResponder,
            \.network.rules.handling.authenticationResponder,
            { .authenticationResponder($0) },
            AuthenticationResponder { _ in nil },
            AuthenticationResponder { _ in nil }
        )
        hook(
            .responseModifier,
            \.network.rules.handling.responseModifier,
            { .responseModifier($0) },
            ResponseModifier { $0 },
            ResponseModifier { $0 }
        )
        hook(
            .responseReviewer,
            \.network.rules.handling.responseReviewer,
            { .responseReviewer($0) },
            ResponseReviewer { _ in true },
            ResponseReviewer { _ in true }
        )
        hook(
            .dataModifier,
            \.network.rules.handling.dataModifier,
            { .dataModifier($0) },
            DataModifier { data, _ in data },
            DataModifier { data, _ in data }
        )
        Row(
            .acceptedStatusCodes,
            \.network.acceptedStatusCodes,
            nil,
            (.acceptedStatusCodes(200..<201), 200..<201),
            (.acceptedStatusCodes(200..<300), 200..<300)
        )
        Row(
            .acceptedContentTypes,
            \.network.acceptedContentTypes,
            nil,
            (.acceptedContentTypes(["image/*"]), ["image/*"]),
            (.acceptedContentTypes(["*/*"]), ["*/*"])
        )
    }

    @Rows private static var recovery: [Row] {
        hook(
            .retry,
            \.recovery.retryHook,
            { .retry($0) },
            BackoffStrategy.exponential(maxAttempts: 2),
            .fixed(maxAttempts: 3)
        )
        Row(
            .alternatives,
            \.recovery.alternatives,
            [],
            (.alternativeSources([.file("/a")]), [.file("/a")]),
            (.alternativeSources([.file("/b")]), [.file("/b")])
        )
        Row(
            .lowDataSource,
            \.recovery.lowDataSource,
            nil,
            (.lowDataSource(.file("/a")), .file("/a")),
            (.lowDataSource(.file("/b")), .file("/b"))
        )
        Row(
            .allowsMetered,
            \.recovery.allowsMetered,
            true,
            (.allowsMetered(false), false),
            (.allowsMetered(true), true)
        )
    }

    /// The row of a hook, whose two values differ.
    private static func hook<Body: Sendable, Value: Hashable & Sendable>(
        _ field: ImageOptionField,
        _ path: KeyPath<ImageOptions.Fields, Hook<Body>?> & Sendable,
        _ option: (Value) -> ImageOption,
        _ first: Value,
        _ second: Value
    ) -> Row {
        let hooks = [first, second].map { ImageOptions([option($0)]).fields[keyPath: path] }
        return Row(field, path, nil, (option(first), hooks[0]), (option(second), hooks[1]))
    }

    @Test("has its default, and is in the table")
    func defaults() {
        #expect(Set(Self.rows.map(\.field)) == Set(ImageOptionField.allCases))
        for row in Self.rows {
            #expect(row.number(ImageOptions().fields) == 0, "\(row.field)")
            #expect(row.number(ImageOptions([]).fields) == 0, "\(row.field)")
        }
    }

    @Test("has the value of the last option that sets it")
    func lastOne() {
        for row in Self.rows {
            for (first, one) in row.options.enumerated() {
                for (second, other) in row.options.enumerated() where first != second {
                    let alone = row.number(ImageOptions([other]).fields)
                    #expect(alone != nil, "\(row.field)")
                    #expect(row.number(ImageOptions([one, other]).fields) == alone, "\(row.field)")
                    #expect(row.number(ImageOptions([one]).applying([other]).fields) == alone, "\(row.field)")
                    #expect(row.number(ImageOptions([one, other, one, other]).fields) == alone, "\(row.field)")
                    // So has a call whose pipeline has the other as its default.
                    #expect(row.number(ImageOptions([other]).filled(from: [one]).fields) == alone, "\(row.field)")
                }
            }
        }
    }

    @Test("keeps its value where options set others")
    func independence() {
        for row in Self.rows {
            guard let option = row.options.last else { continue }
            let value = row.number(ImageOptions([option]).fields)
            for other in Self.rows where other.field != row.field {
                // One option may set several fields.
                guard let last = other.options.last else { continue }
                #expect(row.number(ImageOptions([option, last]).fields) == value, "\(row.field) \(other.field)")
            }
        }
    }
}

extension ImageOptions.Fields {
    /// The built-in serializer.
    fileprivate var serializer: ImageSerializer? { cache.serializer as? ImageSerializer }
}
