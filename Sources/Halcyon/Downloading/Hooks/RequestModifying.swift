public import HalcyonHTTP

/// A type that changes requests before they are sent, or rejects them: signs them, adds a token, maps a URL to a
/// mirror.
///
/// Transfers are shared between requests that are equal after they were modified; decoding and processing too, where a
/// scope is named.
public protocol RequestModifying: Hashable, Sendable {
    /// Returns the request to send; URL, method, headers and all else may differ. `nil` or an error rejects it: nothing
    /// is sent, and the download fails with ``ImageError/Reason/requestRejected(_:)``, with the text of the error if
    /// one is thrown.
    func modified(_ request: TransferRequest) async throws -> TransferRequest?

    /// The name of the scope of the modified requests, such as "user-42"; `nil` for none.
    ///
    /// Caches are read before requests are modified, when neither the credential that this adds nor the URL that it
    /// leads to is known. A response for another credential, URL, method or body than that of the request is therefore
    /// cached only where a scope is named, here or by ``CachePolicy/scope``, which takes precedence over this. The
    /// modifier of the options takes precedence over that of the downloader. The credentials of a pipeline's downloader
    /// are taken to be the same for all. Read with each load. Default: `nil`.
    var cacheScope: String? { get }
}

extension RequestModifying {
    /// No name, the default.
    public var cacheScope: String? { nil }
}

/// A closure that modifies requests. It is equal to its copies only, so keep one where equal requests are to share
/// work.
public struct RequestModifier: RequestModifying {
    private let closure: IdentifiedClosure<@Sendable (TransferRequest) async throws -> TransferRequest?>

    /// The name of the scope; see ``RequestModifying/cacheScope``.
    public let cacheScope: String?

    /// A modifier with a closure; see ``RequestModifying/modified(_:)``.
    ///
    /// - Parameters:
    ///   - cacheScope: The scope of the modified requests. Default: `nil`.
    ///   - closure: Gets a request, and returns the one to send in its place.
    public init(
        cacheScope: String? = nil,
        _ closure: @escaping @Sendable (TransferRequest) async throws -> TransferRequest?
    ) {
        self.cacheScope = cacheScope
        self.closure = IdentifiedClosure(closure)
    }

    /// Returns the result of the closure.
    public func modified(_ request: TransferRequest) async throws -> TransferRequest? {
        try await closure.function(request)
    }
}
