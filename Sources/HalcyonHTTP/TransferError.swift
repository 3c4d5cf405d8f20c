/// The reason why a transfer did not succeed.
public enum TransferError: Error, Sendable, Hashable {
    /// The transfer was cancelled.
    case cancelled
    /// The URL is not an absolute one of `http` or `https`.
    case invalidURL(String)
    /// The host name has no address.
    case cannotFindHost(String)
    /// No server answers at that address and port.
    case cannotConnect(String)
    /// The connection ended before the response did.
    case connectionLost(String)
    /// One of ``TransferTimeouts`` ran out.
    case timedOut(Phase)
    /// The certificate is expired, self-signed, for another host, …
    case untrustedServer(String)
    /// The proxy makes no tunnel to the server: 407 if it demands a credential, in one of the ways that `challenges`
    /// state. See ``TransferRequest/proxyCredential``.
    case proxyRefused(status: Int, challenges: [AuthenticationChallenge])
    /// ``AddressPolicy`` forbids every address of the host that could have been connected to.
    case addressRefused(String)
    /// The credential cannot be sent, because of a character in it or because a proxy of that kind takes none such.
    case invalidCredential(String)
    /// The two sides could not agree on TLS.
    case tlsFailure(String)
    /// There were more redirects than ``TransferLimits/redirects``.
    case tooManyRedirects(maximum: Int)
    /// A redirect led to a scheme other than `http` and `https`.
    case redirectRefused(String)
    /// The body is longer than ``TransferLimits/bodyBytes``.
    case bodyTooLarge(maximum: Int)
    /// The headers are longer than ``TransferLimits/headerBytes``.
    case headersTooLarge(maximum: Int)
    /// The server does not speak HTTP, or contradicts itself.
    case malformedResponse(String)
    /// The receiver refused the response.
    case responseRefused(String)
    /// The bytes that had arrived cannot be read back from their temporary file.
    case temporaryFileFailed(String)
    /// Any other error, in the transport's words.
    case other(String)

    /// The phases that can take too long.
    public enum Phase: String, Sendable, Hashable {
        case connect
        case idle
        case total
    }
}
