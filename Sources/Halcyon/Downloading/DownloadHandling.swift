internal import HalcyonHTTP

/// The handling of the responses of a transfer: the downloader's and the request's combined.
struct DownloadHandling: Sendable {
    let redirectHandler: Hook<any RedirectHandling>?
    let authenticationResponder: ScopedResponder?
    let responseModifiers: [Hook<any ResponseModifying>]
    let acceptedStatusCodes: Range<Int>
    /// A Boolean value that indicates whether 304 is accepted in any case.
    let acceptsNotModified: Bool
    let acceptedContentTypes: Set<String>?
    let responseReviewers: [Hook<any ResponseReviewing>]
    let dataModifiers: [Hook<any DataModifying>]
    /// Boolean values that indicate whether the hooks, if there are any, are the request's own, or those of a
    /// downloader that the request names.
    let hasOwnRedirectHandler, hasOwnResponder: Bool
    /// The numbers of the response modifiers, reviewers and data modifiers that come first and are those of all requests
    /// of a pipeline. The others are the request's own, or those of a downloader that it names.
    let sharedResponseModifierCount, sharedReviewerCount, sharedDataModifierCount: Int

    /// - Parameter audience: The scope that the request's own responder answers for.
    init(_ handling: TransferHandling, audience: String?, over defaults: TransferHandling) {
        redirectHandler = handling.redirectHandler ?? defaults.redirectHandler
        let isOfOwnDownloader = handling.isOfOwnDownloader
        hasOwnRedirectHandler = isOfOwnDownloader || handling.redirectHandler != nil
        hasOwnResponder = isOfOwnDownloader || handling.authenticationResponder != nil
        func sharedCount(_ isPresent: Bool) -> Int { isPresent && !isOfOwnDownloader ? 1 : 0 }
        sharedResponseModifierCount = sharedCount(defaults.responseModifier != nil)
        sharedReviewerCount = sharedCount(defaults.responseReviewer != nil)
        sharedDataModifierCount = sharedCount(defaults.dataModifier != nil)
        let responder = handling.authenticationResponder ?? defaults.authenticationResponder
        let isOfRequest = handling.authenticationResponder != nil
        authenticationResponder = responder.map {
            ScopedResponder(hook: $0, audience: isOfRequest ? audience : nil)
        }
        responseModifiers = [defaults.responseModifier, handling.responseModifier].compactMap(\.self)
        acceptedStatusCodes = handling.acceptedStatusCodes ?? defaults.acceptedStatusCodes ?? 200..<400
        acceptsNotModified = handling.acceptsNotModified
        acceptedContentTypes = handling.acceptedContentTypes ?? defaults.acceptedContentTypes
        responseReviewers = [defaults.responseReviewer, handling.responseReviewer].compactMap(\.self)
        dataModifiers = [defaults.dataModifier, handling.dataModifier].compactMap(\.self)
    }

    /// A Boolean value that indicates whether a hook sees the head before the body, and may suspend.
    var looksAtHeads: Bool { !responseModifiers.isEmpty || !responseReviewers.isEmpty }
}
