internal import FoundationEssentials

/// The host and the path of a request, to which cookies belong (RFC 6265, section 5.1).
struct CookiePlace: Sendable {
    /// The host in lower case, an address of version 6 in brackets.
    let host: String
    /// The path, which begins with a slash.
    let path: String
    let isSecure: Bool

    /// - Returns: `nil` for a URL without a host that cookies could be for.
    init?(_ url: URL) {
        guard let origin = Origin(url.absoluteString) else { return nil }
        let host = HostName.decoded(origin.host)
        guard Self.isHost(host) else { return nil }
        self.host = host
        let path = url.sent.path(percentEncoded: true)
        self.path = path.hasPrefix("/") ? path : "/"
        isSecure = origin.isSecure
    }

    /// The path of cookies that name none: the folder of the request's path (section 5.1.4).
    var folder: String {
        guard let slash = path.lastIndex(of: "/"), slash != path.startIndex else { return "/" }
        return String(path[..<slash])
    }

    /// Returns whether a cookie is sent with requests for this place.
    func isReached(by cookie: Cookie) -> Bool {
        (cookie.isHostOnly ? host == cookie.domain : Self.host(host, isIn: cookie.domain))
            && Self.path(path, isIn: cookie.path) && (isSecure || !cookie.isSecure)
    }

    /// Returns whether a host is a domain, or is below it (section 5.1.3). An address is below none.
    static func host(_ host: String, isIn domain: String) -> Bool {
        if host == domain { return true }
        guard host.utf8.count > domain.utf8.count, host.hasSuffix(domain) else { return false }
        return host.dropLast(domain.count).last == "." && IPAddress(host: host) == nil
    }

    /// Returns whether a path is another one, or is below it (section 5.1.4).
    static func path(_ path: String, isIn folder: String) -> Bool {
        let (path, folder) = (path.utf8, folder.utf8)
        guard path.starts(with: folder) else { return false }
        return path.count == folder.count || folder.last == UInt8(ascii: "/")
            || path.dropFirst(folder.count).first == UInt8(ascii: "/")
    }

    /// Returns whether text in lower case may be the host of a URL, in the form in which it is sent.
    static func isHost(_ text: String) -> Bool {
        !text.isEmpty && !text.hasPrefix(".") && text.utf8.count <= 255
            && text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != 0x2F }
    }
}

extension CookiePlace {
    /// Returns the site that a host belongs to, which shares a limit: the domain right below the public suffix.
    static func site(of domain: String, isPublicSuffix: (String) -> Bool) -> String {
        guard IPAddress(host: domain) == nil else { return domain }
        var site = domain[...]
        while let dot = site.firstIndex(of: ".") {
            let parent = site[site.index(after: dot)...]
            if parent.isEmpty || isPublicSuffix(String(parent)) { break }
            site = parent
        }
        return String(site)
    }
}
