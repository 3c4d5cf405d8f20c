/// A server that makes connections for its clients.
public struct Proxy: Sendable, Hashable {
    /// The protocols of a proxy.
    public enum Kind: String, Sendable, Hashable {
        /// HTTP: `http` requests are passed on, for `https` the proxy makes a tunnel (RFC 9110, section 9.3.6).
        case http
        /// The same over TLS, verified as servers are.
        case https
        /// SOCKS version 5 (RFC 1928); names are looked up by the proxy.
        case socks5
    }

    /// The protocol of the proxy.
    public var kind: Kind
    /// The name or address of the proxy.
    public var host: String
    /// The port of the proxy.
    public var port: Int
    /// The credential that proves the client's identity to the proxy; SOCKS takes only
    /// ``Credential/basic(user:password:)`` (RFC 1929). Default: none.
    public var credential: Credential?

    /// Creates a proxy at `host` and `port`.
    public init(_ kind: Kind = .http, host: String, port: Int, credential: Credential? = nil) {
        self.kind = kind
        self.host = host
        self.port = port
        self.credential = credential
    }

    /// The URL of the proxy in libcurl's form, without the credential.
    var url: String {
        let scheme =
            switch kind {
            case .http: "http"
            case .https: "https"
            case .socks5: "socks5h"
            }
        return "\(scheme)://\(bracketedHost):\(port)"
    }

    /// The address "host:port".
    var description: String { "\(bracketedHost):\(port)" }

    private var bracketedHost: String {
        if case .v6 = IPAddress(host) { return "[\(host)]" }
        return host.lowercased()
    }
}
