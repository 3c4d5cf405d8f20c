public import FoundationEssentials

/// A cookie of a ``CookieStore`` (RFC 6265).
public struct Cookie: Sendable, Hashable {
    /// The name; never empty.
    public let name: String
    /// The value.
    public let value: String
    /// The host that it belongs to, in lower case and without a leading dot.
    public let domain: String
    /// A Boolean value that indicates whether it is sent to ``domain`` alone, and not to the hosts below it.
    public let isHostOnly: Bool
    /// The path at and below which it is sent.
    public let path: String
    /// The date from which it is not sent any more; `nil` for a cookie of the session, which is not written to a file unless
    /// ``CookieStore/Configuration/keepsSessionCookies`` says so.
    public let expires: Date?
    /// A Boolean value that indicates whether it is sent over TLS alone.
    public let isSecure: Bool
    /// A Boolean value that indicates whether scripts of a page may not read it. There are none here; the value is kept for
    /// programs that read the same file.
    public let isHTTPOnly: Bool

    init(
        name: String,
        value: String,
        domain: String,
        isHostOnly: Bool,
        path: String,
        expires: Date?,
        isSecure: Bool,
        isHTTPOnly: Bool
    ) {
        self.name = name
        self.value = value
        self.domain = domain
        self.isHostOnly = isHostOnly
        self.path = path
        self.expires = expires
        self.isSecure = isSecure
        self.isHTTPOnly = isHTTPOnly
    }

    /// Returns the cookie as one of a host alone.
    func ofHost(_ host: String) -> Cookie {
        Cookie(
            name: name,
            value: value,
            domain: host,
            isHostOnly: true,
            path: path,
            expires: expires,
            isSecure: isSecure,
            isHTTPOnly: isHTTPOnly
        )
    }

    /// Returns whether it is not sent any more.
    func isExpired(at now: Date) -> Bool { expires.map { $0 <= now } ?? false }

    /// The number of bytes that it takes.
    var byteCount: Int { name.utf8.count + value.utf8.count + domain.utf8.count + path.utf8.count }

    /// The identity of a cookie: another one with the same replaces it. Bytes, as text that only looks the same is another
    /// name for a server.
    struct Key: Hashable, Sendable {
        private let bytes: [UInt8]
        let domain: String

        init(_ cookie: Cookie) {
            domain = cookie.domain
            // No part contains a zero byte.
            bytes =
                Array(cookie.name.utf8) + [0] + Array(cookie.domain.utf8) + [cookie.isHostOnly ? 1 : 0]
                + Array(cookie.path.utf8)
        }

        static func == (left: Key, right: Key) -> Bool { left.bytes == right.bytes }

        func hash(into hasher: inout Hasher) {
            hasher.combine(bytes)
        }
    }
}

extension Cookie {
    /// Compares bytes, as servers do with names and values.
    public static func == (left: Cookie, right: Cookie) -> Bool {
        Key(left) == Key(right) && left.value.utf8.elementsEqual(right.value.utf8) && left.expires == right.expires
            && left.isSecure == right.isSecure && left.isHTTPOnly == right.isHTTPOnly
    }

    /// Hashes what equal cookies have in common.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(name)
        hasher.combine(value)
        hasher.combine(domain)
        hasher.combine(path)
    }
}

extension Cookie: CustomStringConvertible, CustomDebugStringConvertible {
    /// The name and the place, without the value, which may prove an identity.
    public var description: String { "cookie \(name) of \(domain)\(path)" }

    /// The same as ``description``.
    public var debugDescription: String { description }
}
