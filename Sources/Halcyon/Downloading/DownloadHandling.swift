internal import HalcyonHTTP

/// What happens to the responses of a transfer: what the downloader says and what the request says, put together.
struct DownloadHandling: Sendable {
    let redirectHandler: Hook<any RedirectHandling>?
    let authenticationResponder: Hook<any AuthenticationResponding>?
    let responseModifiers: [Hook<any ResponseModifying>]
    let acceptedStatusCodes: Range<Int>
    let acceptedContentTypes: Set<String>?
    let responseReviewers: [Hook<any ResponseReviewing>]
    let dataModifiers: [Hook<any DataModifying>]
    /// Whether the responder is the request's own.
    let hasOwnResponder: Bool

    init(_ handling: TransferHandling, over defaults: TransferHandling) {
        redirectHandler = handling.redirectHandler ?? defaults.redirectHandler
        hasOwnResponder = handling.authenticationResponder != nil
        authenticationResponder = handling.authenticationResponder ?? defaults.authenticationResponder
        responseModifiers = [defaults.responseModifier, handling.responseModifier].compactMap(\.self)
        acceptedStatusCodes = handling.acceptedStatusCodes ?? defaults.acceptedStatusCodes ?? 200..<400
        acceptedContentTypes = handling.acceptedContentTypes ?? defaults.acceptedContentTypes
        responseReviewers = [defaults.responseReviewer, handling.responseReviewer].compactMap(\.self)
        dataModifiers = [defaults.dataModifier, handling.dataModifier].compactMap(\.self)
    }

    /// Whether someone wants to see a head before the body, and may take their time.
    var looksAtHeads: Bool { !responseModifiers.isEmpty || !responseReviewers.isEmpty }
}
