import FoundationEssentials
import HTTPTypes
import HalcyonTesting

@testable import Halcyon

/// All fields of the options, each with its default and with options that set it.
enum OptionTable {
    /// A field with its default, and options that set it to other values.
    struct Row: Sendable {
        let field: ImageOptionField
        /// Returns the number of the option whose value fields have, from 1; 0 for the default.
        let number: @Sendable (ImageOptions.Fields) -> Int?
        let options: [ImageOption]

        init<Value: Equatable & Sendable>(
            _ field: ImageOptionField,
            _ path: any KeyPath<ImageOptions.Fields, Value> & Sendable,
            _ standard: Value,
            _ options: (ImageOption, Value)...
        ) {
            self.field = field
            let values = [standard] + options.map(\.1)
            number = { fields in values.firstIndex { $0 == fields[keyPath: path] } }
            self.options = options.map(\.0)
        }
    }

    /// Type-checks each row by itself.
    @resultBuilder
    enum Rows {
        static func buildExpression(_ row: Row) -> Row { row }
        static func buildBlock(_ rows: Row...) -> [Row] { rows }
    }

    static let rows: [Row] = caching + decoding + reading + network + recovery + delivery + extending

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
            .damage,
            \.decode.damage,
            .showsWhatIsThere,
            (.damage(.isRefused), .isRefused),
            (.damage(.showsWhatIsThere), .showsWhatIsThere)
        )
        Row(
            .decodeLimits,
            \.decode.limits,
            .standard,
            (.decodeLimits(DecodeLimits(pixelCount: 1)), DecodeLimits(pixelCount: 1)),
            (.decodeLimits(DecodeLimits(pixelCount: 2)), DecodeLimits(pixelCount: 2))
        )
    }

    private static let firstStore = CookieStore()
    private static let secondStore = CookieStore()

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
            .hooks,
            \.network.rules.handling.hooks,
            { .hooks($0) },
            TestHooks.refusingRedirects,
            TestHooks.refusingRedirects
        )
        Row(
            .cookies,
            \.network.rules.cookies,
            nil,
            (.cookies(firstStore), firstStore),
            (.cookies(secondStore), secondStore)
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
    static func hook<Body: Sendable, Value: Hashable & Sendable>(
        _ field: ImageOptionField,
        _ path: any KeyPath<ImageOptions.Fields, Hook<Body>?> & Sendable,
        _ option: (Value) -> ImageOption,
        _ first: Value,
        _ second: Value
    ) -> Row {
        let hooks = [first, second].map { ImageOptions([option($0)]).fields[keyPath: path] }
        return Row(field, path, nil, (option(first), hooks[0]), (option(second), hooks[1]))
    }
}
