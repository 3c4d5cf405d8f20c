internal import HTTPTypes
internal import HalcyonHTTP

/// The part of a ``NetworkPolicy`` beyond timeouts and limits: the parts of requests, and the hooks that may change
/// them.
struct TransferRules: Hashable, Sendable {
    var headers: HTTPFields = [:]
    var method: HTTPRequest.Method?
    var requestModifier: Hook<any RequestModifying>?
    var cookies: CookieStore?
    var handling = TransferHandling()

    /// A Boolean value that indicates whether there is a hook, which runs code of the program.
    var hasHooks: Bool {
        requestModifier != nil || handling.redirectHandler != nil || handling.authenticationResponder != nil
            || handling.responseModifier != nil || handling.responseReviewer != nil || handling.dataModifier != nil
    }
}

/// The handling of the responses of a transfer. Equal requests that differ here share no transfer.
struct TransferHandling: Hashable, Sendable {
    var redirectHandler: Hook<any RedirectHandling>?
    var authenticationResponder: Hook<any AuthenticationResponding>?
    var responseModifier: Hook<any ResponseModifying>?
    var acceptedStatusCodes: Range<Int>?
    var acceptedContentTypes: Set<String>?
    /// A Boolean value that indicates whether 304 is accepted in any case: the conditions are those of the HTTP cache. Set by
    /// loads, and no option.
    var acceptsNotModified = false
    /// A Boolean value that indicates whether the downloader is one that the request names, so that its hooks are the
    /// request's own. Set by downloads, and no option.
    var isOfOwnDownloader = false
    var responseReviewer: Hook<any ResponseReviewing>?
    var dataModifier: Hook<any DataModifying>?

    static let none = TransferHandling()
}

extension TransferRules {
    /// Holds the rules, which few requests have, behind a reference: options are copied at each look into memory, and
    /// the rules are a thousand bytes.
    final class Box: Hashable, Sendable {
        let rules: TransferRules
        /// Computed once, as both are read at each look into memory.
        let mayChangeAudience: Bool
        let mayChangeIdentity: Bool
        private let hash: Int

        init(_ rules: TransferRules) {
            self.rules = rules
            mayChangeAudience =
                rules.method != nil || rules.requestModifier != nil || rules.cookies != nil
                || rules.headers.contains { $0.name.isCredential }
            mayChangeIdentity =
                mayChangeAudience || rules.handling.authenticationResponder != nil
                || rules.handling.dataModifier != nil
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
