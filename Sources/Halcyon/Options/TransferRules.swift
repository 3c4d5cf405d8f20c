internal import HTTPTypes
internal import HalcyonHTTP

/// The part of a ``NetworkPolicy`` beyond timeouts and limits: the parts of requests, and the hooks.
struct TransferRules: Hashable, Sendable {
    var headers: HTTPFields = [:]
    var method: HTTPRequest.Method?
    var transportScope: String?
    var handling = TransferHandling()
}

/// The handling of the responses of a transfer. Equal requests that differ here share no transfer.
struct TransferHandling: Hashable, Sendable {
    var hooks: Hook<any DownloadHooks>?
    var acceptedStatusCodes: Range<Int>?
    var acceptedContentTypes: Set<String>?
    /// A Boolean value that indicates whether 304 is accepted in any case: the conditions are those of the HTTP cache. Set by
    /// loads, and no option.
    var acceptsNotModified = false

    static let none = TransferHandling()
}

extension TransferRules {
    /// Holds the rules, which few requests have, behind a reference: options are copied at each look into memory, and
    /// the rules are a thousand bytes.
    final class Box: Hashable, Sendable {
        let rules: TransferRules
        /// Computed once, as it is read at each look into memory.
        let mayChangeIdentity: Bool
        private let hash: Int

        init(_ rules: TransferRules) {
            self.rules = rules
            mayChangeIdentity =
                rules.method != nil || rules.handling.hooks != nil || rules.transportScope != nil
                || rules.headers.contains { $0.name.isCredential }
            hash = rules.hashValue
        }

        static func == (left: Box, right: Box) -> Bool {
            left === right || (left.hash == right.hash && left.rules == right.rules)
        }

        func hash(into hasher: inout Hasher) {
            hasher.combine(hash)
        }
    }
}

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
