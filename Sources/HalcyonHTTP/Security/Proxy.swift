/// A server that makes connections for others.
public struct Proxy: Sendable, Hashable {
    /// How to talk to it.
    public enum Kind: String, Sendable, Hashable {
        /// HTTP: `http` requests are handed over, for `https` a tunnel is asked for (RFC 9110, section 9.3.6).
        case http
        /// The same over TLS, verified as servers are.
        case https
        /// SOCKS version 5 (RFC 1928); names are looked up by the proxy.
        case socks5
    }

    /// How to talk to it.
    public var kind: Kind
    /// Its name or address.
    public var host: String
    /// Its port.
    public var port: Int
    /// Proves to the proxy who asks; SOCKS takes only ``Credential/basic(user:password:)`` (RFC 1929). Default: none.
    public var credential: Credential?

    /// A proxy at `host` and `port`.
    public init(_ kind: Kind = .http, host: String, port: Int, credential: Credential? = nil) {
        self.kind = kind
        self.host = host
        self.port = port
        self.credential = credential
    }

    /// As libcurl wants it, without the credential.
    var url: String {
        let scheme =
            switch kind {
            case .http: "http"
            case .https: "https"
            case .socks5: "socks5h"
            }
        return "\(scheme)://\(bracketedHost):\(port)"
    }

    /// "host:port".
    var description: String { "\(bracketedHost):\(port)" }

    private var bracketedHost: String {
        if case .v6 = IPAddress(host) { return "[\(host)]" }
        return host.lowercased()
    }
}
