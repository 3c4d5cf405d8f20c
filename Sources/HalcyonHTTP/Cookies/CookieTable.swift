internal import FoundationEssentials

/// Cookies by their domains, within limits.
struct CookieTable: Sendable {
    private struct Entry {
        var cookie: Cookie
        /// The position in the order in which cookies were first set, by which they are sent.
        let created: UInt64
        /// The position in the order in which they were last set, by which they are evicted.
        var updated: UInt64
    }

    /// The most bytes of a field `Cookie`, as libcurl has it: servers refuse longer ones.
    static let maximumFieldBytes = 8_190

    private var domains: [String: [Cookie.Key: Entry]] = [:]
    private(set) var count = 0
    private(set) var byteCount = 0
    private var lastNumber: UInt64 = 0
    private let limits: CookieLimits

    init(limits: CookieLimits) {
        self.limits = limits
    }

    /// All cookies, in the order in which they were first set.
    var cookies: [Cookie] {
        domains.values.flatMap(\.values).sorted { $0.created < $1.created }.map(\.cookie)
    }

    /// Returns the cookie of a key.
    subscript(key: Cookie.Key) -> Cookie? { domains[key.domain]?[key]?.cookie }

    /// Returns the cookies that are sent with requests for a place: those of longer paths first, then in the order in which
    /// they were first set (RFC 6265, section 5.4).
    func cookies(for place: CookiePlace, at now: Date) -> [Cookie] {
        guard count > 0 else { return [] }
        var entries: [Entry] = []
        var domain: Substring? = place.host[...]
        while let name = domain {
            for entry in domains[String(name)]?.values ?? [:].values
            where place.isReached(by: entry.cookie) && !entry.cookie.isExpired(at: now) {
                entries.append(entry)
            }
            domain = name.firstIndex(of: ".").map { name[name.index(after: $0)...] }
        }
        entries.sort { left, right in
            let (long, short) = (left.cookie.path.utf8.count, right.cookie.path.utf8.count)
            return long == short ? left.created < right.created : long > short
        }
        return entries.map(\.cookie)
    }

    /// Returns the field `Cookie` for a place; `nil` if no cookie is sent there.
    func field(for place: CookiePlace, at now: Date) -> String? {
        var text = ""
        for cookie in cookies(for: place, at: now) {
            let pair = "\(cookie.name)=\(cookie.value)"
            guard text.utf8.count + 2 + pair.utf8.count <= Self.maximumFieldBytes else { continue }
            if !text.isEmpty { text += "; " }
            text += pair
        }
        return text.isEmpty ? nil : text
    }

    /// Returns whether a cookie that was not set over TLS would hide one that was (draft-ietf-httpbis-rfc6265bis, section
    /// 5.7, "leave secure cookies alone"). One that has expired is not there any more.
    func hidesSecureCookie(_ cookie: Cookie, from place: CookiePlace, at now: Date) -> Bool {
        guard !place.isSecure, !cookie.isSecure else { return false }
        return domains.contains { domain, entries in
            (CookiePlace.host(domain, isIn: cookie.domain) || CookiePlace.host(cookie.domain, isIn: domain))
                && entries.values.contains {
                    $0.cookie.isSecure && !$0.cookie.isExpired(at: now)
                        && $0.cookie.name.utf8.elementsEqual(cookie.name.utf8)
                        && CookiePlace.path(cookie.path, isIn: $0.cookie.path)
                }
        }
    }

    /// Sets a cookie that a response sets, or removes the one that it ends, where the server may do that. Does not keep to
    /// the limits, see ``evict(at:isPublicSuffix:)``.
    ///
    /// - Parameter place: The request whose response sets it.
    /// - Returns: `false` if nothing changes.
    mutating func receive(_ cookie: Cookie, from place: CookiePlace, at now: Date) -> Bool {
        guard !hidesSecureCookie(cookie, from: place, at: now) else { return false }
        let key = Cookie.Key(cookie)
        if cookie.isExpired(at: now) { return remove(key) != nil }
        guard self[key] != cookie else { return false }
        set(cookie)
        return true
    }

    /// Sets a cookie, in place of that of its key. Does not keep to the limits, see ``evict(at:isPublicSuffix:)``.
    ///
    /// - Parameter order: A table whose order is kept for the cookies that it has.
    mutating func set(_ cookie: Cookie, inOrderOf order: CookieTable? = nil) {
        let key = Cookie.Key(cookie)
        if let order { lastNumber = max(lastNumber, order.lastNumber) }
        lastNumber += 1
        let earlier = remove(key) ?? order?.domains[key.domain]?[key]
        domains[key.domain, default: [:]][key] = Entry(
            cookie: cookie,
            created: earlier?.created ?? lastNumber,
            updated: earlier.flatMap { $0.cookie == cookie && order != nil ? $0.updated : nil } ?? lastNumber
        )
        count += 1
        byteCount += cookie.byteCount
    }

    /// Removes the cookie of a key.
    mutating func remove(for key: Cookie.Key) {
        _ = remove(key)
    }

    private mutating func remove(_ key: Cookie.Key) -> Entry? {
        guard let entry = domains[key.domain]?.removeValue(forKey: key) else { return nil }
        if domains[key.domain]?.isEmpty ?? false { domains[key.domain] = nil }
        count -= 1
        byteCount -= entry.cookie.byteCount
        return entry
    }

    /// Removes what is beyond the limits: what has expired, the oldest of the domain, then the oldest of the sites that have
    /// the most. The last are removed down to 15/16 of a limit, so that a full table does not search with every cookie.
    ///
    /// - Parameter isPublicSuffix: Returns whether a domain is one of independent people; may be code of the program.
    /// - Returns: The cookies that were removed.
    @discardableResult
    mutating func evict(at now: Date, isPublicSuffix: (String) -> Bool) -> [Cookie] {
        var evicted: [Cookie] = []
        for domain in Array(domains.keys) where domains[domain]?.count ?? 0 > limits.domainCount {
            evicted += removeExpired(of: domain, at: now)
            let oldest = (domains[domain] ?? [:]).sorted { $0.value.updated < $1.value.updated }
            evicted += remove(oldest.prefix(max(0, oldest.count - limits.domainCount)).map(\.key))
        }
        guard count > limits.count || byteCount > limits.byteCount else { return evicted }
        for domain in Array(domains.keys) { evicted += removeExpired(of: domain, at: now) }
        guard count > limits.count || byteCount > limits.byteCount else { return evicted }

        var sites: [String: [(key: Cookie.Key, updated: UInt64)]] = [:]
        for (domain, entries) in domains {
            let site = CookiePlace.site(of: domain, isPublicSuffix: isPublicSuffix)
            sites[site, default: []] += entries.map { ($0.key, $0.value.updated) }
        }
        for site in sites.keys { sites[site]?.sort { $0.updated > $1.updated } }
        while count > limits.count * 15 / 16 || byteCount > limits.byteCount / 16 * 15, count > 1 {
            // The largest one loses an eighth, so that the search for it is rare.
            guard let site = sites.max(by: { $0.value.count < $1.value.count })?.key, let entries = sites[site] else {
                break
            }
            let lost = max(1, entries.count / 8)
            evicted += remove(entries.suffix(lost).map(\.key))
            sites[site]?.removeLast(lost)
        }
        return evicted
    }

    /// Removes the cookies that are not sent any more.
    @discardableResult
    mutating func removeExpired(at now: Date) -> [Cookie] {
        Array(domains.keys).flatMap { removeExpired(of: $0, at: now) }
    }

    private mutating func removeExpired(of domain: String, at now: Date) -> [Cookie] {
        remove((domains[domain] ?? [:]).filter { $0.value.cookie.isExpired(at: now) }.map(\.key))
    }

    private mutating func remove(_ keys: [Cookie.Key]) -> [Cookie] {
        keys.compactMap { remove($0)?.cookie }
    }
}
