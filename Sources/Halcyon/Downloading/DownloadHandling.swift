internal import HalcyonHTTP

/// The handling of the responses of a transfer: the downloader's and the request's combined.
struct DownloadHandling: Sendable {
    /// The hooks in the order in which they run.
    let hooks: [any DownloadHooks]
    /// The same hooks in the order in which credentials are asked of them.
    let responders: [ScopedResponder]
    let acceptedStatusCodes: Range<Int>
    /// A Boolean value that indicates whether 304 is accepted in any case.
    let acceptsNotModified: Bool
    let acceptedContentTypes: Set<String>?

    /// - Parameter audience: The scope that the request's own hooks answer for.
    init(_ handling: TransferHandling, audience: String?, over defaults: TransferHandling) {
        hooks = [defaults.hooks, handling.hooks].compactMap { $0?.body }
        responders = [
            handling.hooks.map { ScopedResponder(hook: $0, audience: audience) },
            defaults.hooks.map { ScopedResponder(hook: $0, audience: $0.body.cacheIdentity?.name) },
        ].compactMap(\.self)
        acceptedStatusCodes = handling.acceptedStatusCodes ?? defaults.acceptedStatusCodes ?? 200..<400
        acceptsNotModified = handling.acceptsNotModified
        acceptedContentTypes = handling.acceptedContentTypes ?? defaults.acceptedContentTypes
    }
}
