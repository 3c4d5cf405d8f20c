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
