public import HalcyonHTTP

/// A type that decides where redirects lead. Without one they are followed as HTTP says.
///
/// A response that a handler of the options leads to, other than HTTP says, is cached only with a named
/// ``CachePolicy/scope``, or ``CacheScope/sharedAcrossCredentials``.
public protocol RedirectHandling: Hashable, Sendable {
    /// Returns the request to continue with; `nil` or an error refuses the redirect, and the download fails with
    /// ``ImageError/Reason/redirectRejected(_:)``.
    ///
    /// Not called for a redirect that may not be followed anyway: one too many, or to another scheme than `http` and
    /// `https`.
    ///
    /// The credential and the headers that `request` carries for its own origin are sent to no other: where the handler
    /// changes the URL to one of another origin, they are left out. A credential for a proxy is sent to that proxy
    /// only, and credentials that the transport has for a host are not sent unencrypted once a request was encrypted.
    ///
    /// - Parameters:
    ///   - response: The head of the redirect.
    ///   - request: The next request as HTTP defines it (RFC 9110, section 15.4). If it is for another origin, it has
    ///     no credential, and of the headers only those that describe the resource (``TransferRequest/headers``); a
    ///     handler that trusts the other server may add the missing ones.
    func request(after response: TransferResponse, proposed request: TransferRequest) async throws -> TransferRequest?
}

/// A closure that handles redirects. It is equal to its copies only, so keep one where equal requests are to share
/// work.
public struct RedirectHandler: RedirectHandling {
    private let closure:
        IdentifiedClosure<@Sendable (TransferResponse, TransferRequest) async throws -> TransferRequest?>

    /// A handler with a closure; see ``RedirectHandling/request(after:proposed:)``.
    public init(_ closure: @escaping @Sendable (TransferResponse, TransferRequest) async throws -> TransferRequest?) {
        self.closure = IdentifiedClosure(closure)
    }

    /// A handler that refuses every redirect.
    public static let refusing = RedirectHandler { _, _ in nil }

    /// Returns the result of the closure.
    public func request(
        after response: TransferResponse,
        proposed request: TransferRequest
    ) async throws -> TransferRequest? {
        try await closure.function(response, request)
    }
}
