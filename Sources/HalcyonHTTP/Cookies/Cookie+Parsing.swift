internal import FoundationEssentials
internal import HTTPTypes

extension Cookie {
    /// The most bytes of name and value together, and of the value of an attribute: longer ones are ignored, the cookie or
    /// the attribute, as browsers do (draft-ietf-httpbis-rfc6265bis, section 5.6).
    static let maximumPairBytes = 4_096
    static let maximumAttributeBytes = 1_024
    /// The longest that a cookie is kept, as browsers do (the same, section 5.5).
    static let longestLifetime: TimeInterval = 400 * 86_400

    /// The most fields of one response that are read.
    private static let maximumFieldCount = 128

    /// Returns the cookies that a response to a request for `place` sets, in order.
    static func cookies(
        _ fields: HTTPFields,
        from place: CookiePlace,
        now: Date,
        isPublicSuffix: (String) -> Bool
    ) -> [Cookie] {
        fields[values: .setCookie].prefix(maximumFieldCount).compactMap {
            Cookie($0, from: place, now: now, isPublicSuffix: isPublicSuffix)
        }
    }

    /// Reads the value of a field `Set-Cookie`.
    ///
    /// `SameSite` means nothing without sites that embed others, and is not read. A cookie without a name is refused.
    ///
    /// - Parameters:
    ///   - place: The request whose response sets it.
    ///   - isPublicSuffix: Returns whether a domain is one under which independent people register theirs.
    /// - Returns: `nil` for text that is no cookie, and for a cookie that the place may not set.
    init?(_ text: String, from place: CookiePlace, now: Date, isPublicSuffix: (String) -> Bool) {
        // Control characters would end up in later requests.
        guard text.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 }) else { return nil }
        let parts = text.utf8.split(separator: UInt8(ascii: ";"), maxSplits: 64, omittingEmptySubsequences: false)
        guard let pair = parts.first, let equals = pair.firstIndex(of: UInt8(ascii: "=")) else { return nil }
        let name = Self.trimmed(pair[..<equals])
        let value = Self.trimmed(pair[pair.index(after: equals)...])
        guard !name.isEmpty, name.utf8.count + value.utf8.count <= Self.maximumPairBytes else { return nil }
        let attributes = CookieAttributes(parts.dropFirst(), now: now)

        guard let (domain, isHostOnly) = Self.domain(attributes.domain, place, isPublicSuffix) else { return nil }
        let path = attributes.path ?? place.folder
        guard place.isSecure || !attributes.isSecure else { return nil }
        // The prefixes promise what a server cannot see in a request (section 4.1.3).
        let prefix = name.lowercased()
        if prefix.hasPrefix("__secure-"), !attributes.isSecure { return nil }
        if prefix.hasPrefix("__host-") {
            guard attributes.isSecure, isHostOnly, attributes.domain == nil, attributes.path == "/" else { return nil }
        }
        self.init(
            name: name,
            value: value,
            domain: domain,
            isHostOnly: isHostOnly,
            path: path,
            expires: attributes.expires,
            isSecure: attributes.isSecure,
            isHTTPOnly: attributes.isHTTPOnly
        )
    }

    /// Returns the domain of a cookie; `nil` if the place may not set one for it.
    private static func domain(
        _ wanted: String?,
        _ place: CookiePlace,
        _ isPublicSuffix: (String) -> Bool
    ) -> (String, isHostOnly: Bool)? {
        guard let wanted else { return (place.host, true) }
        if wanted == place.host, IPAddress(host: wanted) != nil || isPublicSuffix(wanted) { return (place.host, true) }
        guard CookiePlace.isHost(wanted), !isPublicSuffix(wanted), CookiePlace.host(place.host, isIn: wanted) else {
            return nil
        }
        return (wanted, false)
    }

    fileprivate static func trimmed(_ bytes: Substring.UTF8View) -> String {
        var bytes = bytes
        while let first = bytes.first, first.isBlank { bytes = bytes.dropFirst() }
        while let last = bytes.last, last.isBlank { bytes = bytes.dropLast() }
        return String(Substring(bytes))
    }
}

/// The attributes of a cookie; the last of each name counts.
private struct CookieAttributes {
    /// In lower case, without a leading dot; `nil` if there is none, or an empty one.
    var domain: String?
    /// `nil` if there is none that begins with a slash.
    var path: String?
    var expires: Date?
    var isSecure = false
    var isHTTPOnly = false

    init(_ parts: ArraySlice<Substring.UTF8View>, now: Date) {
        var hasMaximumAge = false
        for part in parts {
            let equals = part.firstIndex(of: UInt8(ascii: "="))
            let name = Cookie.trimmed(part[..<(equals ?? part.endIndex)]).lowercased()
            let value = equals.map { Cookie.trimmed(part[part.index(after: $0)...]) } ?? ""
            guard value.utf8.count <= Cookie.maximumAttributeBytes else { continue }
            switch name {
            case "domain":
                let domain = value.lowercased()
                let name = domain.hasPrefix(".") ? String(domain.dropFirst()) : domain
                self.domain = name.isEmpty ? nil : name
            case "path": path = value.utf8.first == UInt8(ascii: "/") ? value : nil
            case "secure": isSecure = true
            case "httponly": isHTTPOnly = true
            case "max-age":
                // It takes precedence over a date, wherever that stands.
                guard let seconds = Self.seconds(value) else { continue }
                hasMaximumAge = true
                expires = now.addingTimeInterval(min(seconds, Cookie.longestLifetime))
            case "expires":
                guard !hasMaximumAge, let date = CookieDate.date(value) else { continue }
                expires = min(date, now.addingTimeInterval(Cookie.longestLifetime))
            default: break
            }
        }
    }

    /// Reads digits, with a minus sign or not; a number below zero ends the cookie at once.
    private static func seconds(_ text: String) -> TimeInterval? {
        let isNegative = text.utf8.first == UInt8(ascii: "-")
        let digits = text.utf8.dropFirst(isNegative ? 1 : 0)
        guard !digits.isEmpty, digits.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        return isNegative ? -1 : digits.reduce(0) { min($0 * 10 + Double($1 - 0x30), 1e12) }
    }
}
