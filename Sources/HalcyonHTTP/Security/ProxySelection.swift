internal import FoundationEssentials
internal import HalcyonSystem

/// Finds the proxy of an origin.
struct ProxySelection: Sendable {
    /// A proxy, or the variable of the environment whose text names none.
    private enum Choice: Sendable {
        case proxy(Proxy)
        case unreadable(variable: String, text: String)
    }

    private var plain: Choice?
    private var secure: Choice?
    private var bypass = ProxyBypass(list: "")

    /// Creates a selection; `environment` counts for ``ProxyPolicy/environment`` only; by default the process's.
    init(_ policy: ProxyPolicy, environment: @autoclosure () -> [String: String]) {
        switch policy {
        case .none:
            break
        case .proxy(let proxy, let exceptions):
            plain = .proxy(proxy)
            secure = plain
            bypass = ProxyBypass(exceptions)
        case .environment:
            let variables = environment()
            func choice(_ names: String...) -> Choice? {
                names.lazy.compactMap { name -> Choice? in
                    guard let text = variables[name], !text.isEmpty else { return nil }
                    return Proxy(text).map(Choice.proxy) ?? .unreadable(variable: name, text: text)
                }
                .first
            }
            plain = choice("http_proxy", "all_proxy", "ALL_PROXY")
            secure = choice("https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY")
            bypass = ProxyBypass(
                list: ["no_proxy", "NO_PROXY"].compactMap { variables[$0] }.first { !$0.isEmpty } ?? ""
            )
        }
    }

    /// A Boolean value that indicates whether no origin has a proxy.
    var isEmpty: Bool { plain == nil && secure == nil }

    /// Returns the proxy of an origin; `nil` where none is to be used. Throws if the environment names one that is not
    /// valid: a request without it would reveal what the proxy was to hide.
    func proxy(for origin: Origin) throws(TransferError) -> Proxy? {
        guard let choice = origin.isSecure ? secure : plain, !bypass.contains(origin) else { return nil }
        switch choice {
        case .proxy(let proxy):
            return proxy
        case .unreadable(let variable, let text):
            // It may hold a password.
            let shown = text.split(separator: "@").last ?? ""
            throw .cannotConnect(
                "\(origin): \(variable) is “\(shown)”, which is no URL of an http, https or socks5 proxy"
            )
        }
    }
}

extension Proxy {
    /// Reads a URL in the form of the environment, and of curl's options: the scheme (`http` by default, `https`, `socks5`,
    /// `socks5h`), user and password in percent escapes, host, and port (by default 1080, or 443 for `https`, like curl's).
    package init?(_ text: String) {
        var rest = text[...]
        var kind = Kind.http
        if let range = text.firstRange(of: "://") {
            switch text[..<range.lowerBound].lowercased() {
            case "http": kind = .http
            case "https": kind = .https
            case "socks5", "socks5h": kind = .socks5
            default: return nil
            }
            rest = text[range.upperBound...]
        }
        rest = rest.prefix { $0 != "/" && $0 != "?" && $0 != "#" }
        var credential: Credential?
        if let at = rest.lastIndex(of: "@") {
            let parts = rest[..<at].split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            let password = parts.count > 1 ? PercentEncoding.decoded(parts[1]) : ""
            credential = .basic(user: PercentEncoding.decoded(parts[0]), password: password)
            rest = rest[rest.index(after: at)...]
        }
        // The rules for host and port are those of any URL.
        let scheme = kind == .https ? "https" : "http"
        guard let origin = Origin("\(scheme)://\(rest)") else { return nil }
        let hasPort = rest.last != "]" && rest.contains(":") && rest.last != ":"
        let isBracketed = origin.host.hasPrefix("[") && origin.host.hasSuffix("]")
        guard isBracketed || !origin.host.contains(":") else { return nil }
        self.init(
            kind,
            host: isBracketed ? String(origin.host.dropFirst().dropLast()) : origin.host,
            port: hasPort ? origin.port : kind == .https ? 443 : 1080,
            credential: credential
        )
    }
}

/// The choice of a transport's proxy.
public enum ProxyPolicy: Sendable, Hashable {
    /// The proxies that the environment names when the transport is made: `http_proxy`, `https_proxy` or `HTTPS_PROXY`,
    /// `all_proxy` or `ALL_PROXY`, and the exceptions of `no_proxy` or `NO_PROXY`.
    ///
    /// `HTTP_PROXY` does not count: in a CGI program it holds what a client sent as `Proxy:` header.
    case environment
    /// No proxy, whatever the environment says.
    case none
    /// One proxy for everything but the hosts of `bypassing`: names (and all below them), addresses, networks such as
    /// "10.0.0.0/8", each with ":port" if it is for that port only, or "*" for all.
    case proxy(Proxy, bypassing: [String] = [])
}
