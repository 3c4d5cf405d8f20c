public import HalcyonHTTP

/// Decides where redirects lead. Without one they are followed as HTTP says.
///
/// What a handler of the options leads to, other than HTTP says, is cached only with a named ``CachePolicy/scope``, or
/// ``CacheScope/sharedAcrossCredentials``.
public protocol RedirectHandling: Hashable, Sendable {
    /// The request to go on with; `nil` or an error refuses the redirect, and the download fails with
    /// ``ImageError/Reason/redirectRejected(_:)``.
    ///
    /// Not called for a redirect that may not be followed anyway: one too many, or to another scheme than `http` and
    /// `https`.
    ///
    /// What `request` brings along for its own origin, credential and headers, goes to no other: where the handler changes
    /// the URL to one of another origin, it is left out. A credential for a proxy goes to that proxy only, and what the
    /// transport has for a host is not sent unencrypted once a request was encrypted.
    ///
    /// - Parameters:
    ///   - response: The head of the redirect.
    ///   - request: What HTTP says comes next (RFC 9110, section 15.4). If it is for another origin, it has no
    ///     credential, and of the headers only those that say what is wanted (``TransferRequest/headers``); a handler
    ///     that trusts the other server may add what is missing.
    func request(after response: TransferResponse, proposed request: TransferRequest) async throws -> TransferRequest?
}

/// A closure that handles redirects. It is equal to its copies only, so keep one where equal requests are to share
/// work.
public struct RedirectHandler: RedirectHandling {
    private let closure:
        IdentifiedClosure<@Sendable (TransferResponse, TransferRequest) async throws -> TransferRequest?>

    /// Handles redirects by a closure; see ``RedirectHandling/request(after:proposed:)``.
    public init(_ closure: @escaping @Sendable (TransferResponse, TransferRequest) async throws -> TransferRequest?) {
        self.closure = IdentifiedClosure(closure)
    }

    /// Refuses every redirect.
    public static let refusing = RedirectHandler { _, _ in nil }

    /// What the closure answers.
    public func request(
        after response: TransferResponse,
        proposed request: TransferRequest
    ) async throws -> TransferRequest? {
        try await closure.function(response, request)
    }
}
