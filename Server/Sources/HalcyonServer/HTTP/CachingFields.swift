internal import FoundationEssentials
internal import HTTPTypes
internal import Halcyon
internal import ServerURLs

/// The rules of `Cache-Control` for answers.
struct CachingFields: Sendable {
    var defaultMaximumAge: Int
    var partialMaximumAge: Int
    var staleWhileRevalidate: Int
    var staleIfError: Int

    init(_ settings: ServerSettings) {
        defaultMaximumAge = settings.defaultMaximumAge
        partialMaximumAge = settings.partialMaximumAge
        staleWhileRevalidate = settings.staleWhileRevalidate
        staleIfError = settings.staleIfError
    }

    /// Returns the value for an image.
    ///
    /// - Parameters:
    ///   - freshness: The rules of the source; `nil`: it stated none.
    ///   - delivery: What the URL says.
    ///   - isPartial: Whether the source was cut short or damaged.
    ///   - now: In seconds since 1970.
    func value(_ freshness: OriginFreshness?, _ delivery: ImagePlan.Delivery, isPartial: Bool, now: Int) -> String {
        var rules =
            freshness
            ?? OriginFreshness(
                lifetime: defaultMaximumAge,
                staleWhileRevalidate: staleWhileRevalidate,
                staleIfError: staleIfError
            )
        if rules.forbidsStorage { return "no-store" }
        if let age = delivery.maximumAge { (rules.lifetime, rules.sharedLifetime) = (age, nil) }
        if isPartial {
            // Another attempt may give more of it.
            rules.limitLifetimes(to: partialMaximumAge)
            (rules.staleWhileRevalidate, rules.staleIfError) = (0, 0)
        }
        if let expires = delivery.expires {
            // An answer does not outlive its URL.
            let left = max(0, expires - now)
            rules.limitLifetimes(to: left)
            let rest = left - max(rules.lifetime, rules.sharedLifetime ?? 0)
            rules.staleWhileRevalidate = min(rules.staleWhileRevalidate, rest)
            rules.staleIfError = min(rules.staleIfError, rest)
        }
        var value = rules.isPrivate ? "private" : "public"
        value += ", max-age=\(rules.lifetime)"
        if let lifetime = rules.sharedLifetime { value += ", s-maxage=\(lifetime)" }
        if rules.mustRevalidate { value += ", must-revalidate" }
        if rules.staleWhileRevalidate > 0 { value += ", stale-while-revalidate=\(rules.staleWhileRevalidate)" }
        if rules.staleIfError > 0 { value += ", stale-if-error=\(rules.staleIfError)" }
        return value
    }

    /// Returns the value for an error. Caches in front keep it for a moment, so that waiting clients don't ask one
    /// after another.
    static func value(forStatus status: Int) -> String {
        switch status {
        case 404, 410: "public, max-age=60"
        case 401, 403, 429: "no-store"
        default: "public, max-age=5"
        }
    }
}

extension OriginFreshness {
    fileprivate mutating func limitLifetimes(to seconds: Int) {
        lifetime = min(lifetime, seconds)
        sharedLifetime = sharedLifetime.map { min($0, seconds) }
    }
}

/// The part of an answer that a client asks for.
enum RequestedRange: Equatable {
    /// All of it.
    case whole
    /// Some bytes of it.
    case part(Range<Int>)
    /// Bytes that it does not have.
    case unsatisfiable

    /// Reads `Range` and `If-Range` (RFC 9110, sections 14.2 and 13.1.5). Several ranges, other units and malformed
    /// values give the whole.
    init(_ headers: HTTPFields, entityTag: String, length: Int) {
        self = .whole
        guard let field = headers[.range], field.hasPrefix("bytes=") else { return }
        // A date says nothing here, as answers have none.
        if let condition = headers[.ifRange], condition != entityTag { return }
        let parts = field.dropFirst("bytes=".count).split(
            separator: "-",
            maxSplits: 1,
            omittingEmptySubsequences: false
        )
        guard parts.count == 2, !parts[1].contains(","),
            parts.allSatisfy({ $0.allSatisfy { $0.isASCII && $0.isNumber } })
        else { return }
        switch (Int(parts[0]), Int(parts[1])) {
        case (nil, nil): return
        case (nil, let last?) where parts[0].isEmpty:
            self = last == 0 || length == 0 ? .unsatisfiable : .part(max(0, length - last)..<length)
        case (let first?, let last):
            if !parts[1].isEmpty, let last, last < first { return }
            self = first >= length ? .unsatisfiable : .part(first..<(min(length - 1, last ?? .max) + 1))
        default: return
        }
    }
}

extension HTTPFields {
    /// Returns whether `If-None-Match` has an entity tag, compared weakly, or an asterisk (RFC 9110, section 13.1.2).
    func hasMatch(for entityTag: String) -> Bool { hasTag([entityTag, "W/" + entityTag], in: .ifNoneMatch) ?? false }

    /// Returns whether `If-Match` is there, and has neither a strong entity tag nor an asterisk (RFC 9110, section 13.1.1).
    func excludes(_ entityTag: String) -> Bool { hasTag([entityTag], in: .ifMatch) == false }

    /// Returns whether a list of entity tags has one of some, or an asterisk; `nil` where there is no list.
    private func hasTag(_ tags: [String], in name: HTTPField.Name) -> Bool? {
        self[name].map { field in
            field.split(separator: ",").contains { tag in
                let tag = tag.trimming { $0 == " " || $0 == "\t" }
                return tag == "*" || tags.contains { $0 == tag }
            }
        }
    }
}

extension Substring {
    fileprivate func trimming(_ isSpace: (Character) -> Bool) -> Substring {
        var text = drop(while: isSpace)
        while let last = text.last, isSpace(last) { text.removeLast() }
        return text
    }
}
