internal import HTTPTypes
internal import HalcyonHTTP

/// What a ``NetworkPolicy`` says beyond timeouts and limits: what requests are made of, and who has a word in them.
struct TransferRules: Hashable, Sendable {
    var headers: HTTPFields = [:]
    var method: HTTPRequest.Method?
    var requestModifier: Hook<any RequestModifying>?
    var handling = TransferHandling()

    /// Whether any code of the user's has a say.
    var hasHooks: Bool {
        requestModifier != nil || handling.redirectHandler != nil || handling.authenticationResponder != nil
            || handling.responseModifier != nil || handling.responseReviewer != nil || handling.dataModifier != nil
    }
}

/// What happens to the responses of a transfer. Those who want the same request but differ here share no transfer.
struct TransferHandling: Hashable, Sendable {
    var redirectHandler: Hook<any RedirectHandling>?
    var authenticationResponder: Hook<any AuthenticationResponding>?
    var responseModifier: Hook<any ResponseModifying>?
    var acceptedStatusCodes: Range<Int>?
    var acceptedContentTypes: Set<String>?
    var responseReviewer: Hook<any ResponseReviewing>?
    var dataModifier: Hook<any DataModifying>?

    static let none = TransferHandling()
}

extension TransferRules {
    /// Keeps the rules, which few requests have, out of the way: options are copied at each look into memory, and these
    /// are a thousand bytes.
    final class Box: Hashable, Sendable {
        let rules: TransferRules
        /// Worked out once, as they are asked for at each look into memory.
        let mayChangeAudience: Bool
        let mayChangeIdentity: Bool
        private let hash: Int

        init(_ rules: TransferRules) {
            self.rules = rules
            mayChangeAudience =
                rules.method != nil || rules.requestModifier != nil || rules.headers.contains { $0.name.isCredential }
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
