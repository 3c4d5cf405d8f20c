public import HalcyonHTTP

/// Changes requests before they are sent, or rejects them: signs them, adds a token, maps a URL to a mirror.
///
/// Transfers are shared between requests that are equal after they were modified; decoding and processing too, where a scope is
/// named.
public protocol RequestModifying: Hashable, Sendable {
    /// The request to send; URL, method, headers and all else may differ. `nil` rejects it: nothing is sent, and the
    /// download fails with ``ImageError/Reason/requestRejected(_:)``, with the words of the error if one is thrown.
    func modified(_ request: TransferRequest) async throws -> TransferRequest?

    /// Names whose images the modified requests are for, such as "user-42"; `nil` for none.
    ///
    /// Caches are asked before requests are modified, so they cannot know which credential this adds, or where it leads. What
    /// comes for another credential, URL, method or body than that of the request is therefore cached only where a scope is
    /// named, here or by ``CachePolicy/scope``, which goes before this. The
    /// modifier of the options goes before that of the downloader, whose credentials are taken to be the same for all.
    /// Asked with each load. Default: `nil`.
    var cacheScope: String? { get }
}

extension RequestModifying {
    /// None.
    public var cacheScope: String? { nil }
}

/// A closure that modifies requests. It is equal to its copies only, so keep one where equal requests are to share
/// work.
public struct RequestModifier: RequestModifying {
    private let closure: IdentifiedClosure<@Sendable (TransferRequest) async throws -> TransferRequest?>

    /// See ``RequestModifying/cacheScope``.
    public let cacheScope: String?

    /// Modifies requests by a closure; see ``RequestModifying/modified(_:)``.
    ///
    /// - Parameters:
    ///   - cacheScope: The scope of what it makes of requests. Default: `nil`.
    ///   - closure: Gets a request, and returns what is sent in its place.
    public init(
        cacheScope: String? = nil,
        _ closure: @escaping @Sendable (TransferRequest) async throws -> TransferRequest?
    ) {
        self.cacheScope = cacheScope
        self.closure = IdentifiedClosure(closure)
    }

    /// What the closure answers.
    public func modified(_ request: TransferRequest) async throws -> TransferRequest? {
        try await closure.function(request)
    }
}
