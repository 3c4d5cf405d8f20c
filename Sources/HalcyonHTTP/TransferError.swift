/// Why a transfer did not succeed.
public enum TransferError: Error, Sendable, Hashable {
    /// Someone cancelled it.
    case cancelled
    /// Not an absolute `http` or `https` URL.
    case invalidURL(String)
    /// The host name has no address.
    case cannotFindHost(String)
    /// Nothing answers at that address and port.
    case cannotConnect(String)
    /// The connection ended before the response did.
    case connectionLost(String)
    /// One of ``TransferTimeouts`` ran out.
    case timedOut(Phase)
    /// The certificate is expired, self-signed, for another host, …
    case untrustedServer(String)
    /// The proxy makes no tunnel to the server: 407 if it wants a credential, in one of the ways `challenges` say. See
    /// ``TransferRequest/proxyCredential``.
    case proxyRefused(status: Int, challenges: [AuthenticationChallenge])
    /// ``AddressPolicy`` forbids every address of the host that could have been connected to.
    case addressRefused(String)
    /// A credential that cannot be sent, because of a character in it or because a proxy of that kind takes none such.
    case invalidCredential(String)
    /// TLS could not be agreed.
    case tlsFailure(String)
    /// More redirects than ``TransferLimits/redirects``.
    case tooManyRedirects(maximum: Int)
    /// A redirect to a scheme other than `http` and `https`.
    case redirectRefused(String)
    /// The body is longer than ``TransferLimits/bodyBytes``.
    case bodyTooLarge(maximum: Int)
    /// The headers are longer than ``TransferLimits/headerBytes``.
    case headersTooLarge(maximum: Int)
    /// The server does not speak HTTP, or contradicts itself.
    case malformedResponse(String)
    /// The receiver refused the response.
    case responseRefused(String)
    /// What had arrived cannot be read back from its temporary file.
    case temporaryFileFailed(String)
    /// Anything else, in the transport's words.
    case other(String)

    /// What took too long.
    public enum Phase: String, Sendable, Hashable {
        case connect
        case idle
        case total
    }
}
