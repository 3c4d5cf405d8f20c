package import HTTPTypes

/// The directives of `Cache-Control` that a cache obeys, of a request or a response (RFC 9111, section 5.2; RFC 5861;
/// RFC 8246).
///
/// Of a directive that comes twice, the first counts (section 4.2.1). `s-maxage` and `proxy-revalidate` say nothing to a
/// private cache; ``forSharedCache`` is what they and `private` make of the others.
package struct CacheControl: Sendable, Hashable {
    /// A directive with a number of seconds.
    package enum Seconds: Sendable, Hashable {
        case absent
        /// The directive is there, but its argument is not a number. A value computed from it must be the most careful
        /// one: by section 4.2.1, responses with invalid freshness are stale.
        case invalid
        case value(Int)

        /// The number, if there is a valid one.
        package var value: Int? {
            if case .value(let seconds) = self { seconds } else { nil }
        }
    }

    package var maxAge = Seconds.absent
    package var noStore = false
    /// A Boolean value that indicates whether there is `no-cache` without an argument, or with more names than are
    /// read.
    package var noCache = false
    /// The fields that must not be reused without validation: `no-cache="a, b"`.
    package var noCacheFields: [HTTPField.Name] = []
    package var mustRevalidate = false
    package var sharedMaxAge = Seconds.absent
    package var proxyRevalidate = false
    package var mustUnderstand = false
    package var isPublic = false
    package var isPrivate = false
    package var isImmutable = false
    package var staleWhileRevalidate = Seconds.absent
    package var staleIfError = Seconds.absent

    // Directives of requests.
    package var minFresh = Seconds.absent
    /// The staleness that a response may have; ``Seconds/value(_:)`` of the largest number for any.
    package var maxStale = Seconds.absent
    package var onlyIfCached = false

    /// Reads the directives in all `Cache-Control` lines of a message.
    package init(_ headers: HTTPFields) {
        for member in FieldList.members(headers[values: .cacheControl]) {
            apply(member)
        }
    }

    /// A Boolean value that indicates whether a response is of one use, unless its server confirms it.
    package var forbidsReuse: Bool { noCache || noStore && !mustUnderstand }

    /// A Boolean value that indicates whether a response must not be used once it is stale.
    package var forbidsStaleUse: Bool { forbidsReuse || mustRevalidate }

    /// The directives as a cache for many users obeys them: `s-maxage` counts in place of `max-age`, and forbids stale
    /// responses unless others allow them; `proxy-revalidate` forbids them, too; `private` forbids to store (RFC 9111, sections
    /// 5.2.2.7, 5.2.2.8 and 5.2.2.10).
    package var forSharedCache: CacheControl {
        var control = self
        if sharedMaxAge != .absent {
            control.maxAge = sharedMaxAge
            control.mustRevalidate =
                mustRevalidate || (staleWhileRevalidate == .absent && staleIfError == .absent)
        }
        if proxyRevalidate { control.mustRevalidate = true }
        if isPrivate { control.noStore = true }
        return control
    }

    /// The number of names in `no-cache="…"` above which it counts as a `no-cache` without any, which is more careful.
    private static let maximumFieldCount = 64

    private mutating func apply(_ directive: Substring) {
        let equals = directive.utf8.firstIndex(of: UInt8(ascii: "="))
        let name = directive[..<(equals ?? directive.endIndex)].lowercased()
        let argument = equals.map { Self.unquoted(directive[directive.utf8.index(after: $0)...]) }
        switch name {
        case "max-age": Self.set(&maxAge, argument)
        case "s-maxage": Self.set(&sharedMaxAge, argument)
        case "min-fresh": Self.set(&minFresh, argument)
        case "max-stale": Self.set(&maxStale, argument ?? String(DeltaSeconds.maximum))
        case "stale-while-revalidate": Self.set(&staleWhileRevalidate, argument)
        case "stale-if-error": Self.set(&staleIfError, argument)
        case "no-store": noStore = true
        case "must-revalidate": mustRevalidate = true
        case "proxy-revalidate": proxyRevalidate = true
        case "must-understand": mustUnderstand = true
        case "public": isPublic = true
        case "private": isPrivate = true
        case "immutable": isImmutable = true
        case "only-if-cached": onlyIfCached = true
        case "no-cache": applyNoCache(argument)
        default: break
        }
    }

    private mutating func applyNoCache(_ argument: String?) {
        let names = FieldList.members(argument.map { [$0] } ?? []).map { HTTPField.Name(String($0)) }
        let isReadable = !names.isEmpty && !names.contains(nil)
        guard isReadable, noCacheFields.count + names.count <= Self.maximumFieldCount else {
            noCache = true
            return
        }
        noCacheFields += names.compactMap { $0 }
    }

    private static func set(_ directive: inout Seconds, _ argument: String?) {
        guard directive == .absent else { return }
        directive = argument.flatMap { DeltaSeconds.value($0) }.map { .value($0) } ?? .invalid
    }

    /// Returns the text of a quoted string; anything else as it is.
    private static func unquoted(_ argument: Substring) -> String {
        let bytes = argument.utf8
        guard bytes.count >= 2, bytes.first == UInt8(ascii: "\""), bytes.last == UInt8(ascii: "\"") else {
            return String(argument)
        }
        var text: [UInt8] = []
        var isEscaped = false
        for byte in bytes.dropFirst().dropLast() {
            if byte == UInt8(ascii: "\\"), !isEscaped {
                isEscaped = true
            } else {
                text.append(byte)
                isEscaped = false
            }
        }
        return String(decoding: text, as: UTF8.self)
    }
}
