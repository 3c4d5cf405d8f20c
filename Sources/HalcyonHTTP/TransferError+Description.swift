public import FoundationEssentials

extension TransferError: CustomStringConvertible {
    /// The error in words.
    public var description: String {
        switch self {
        case .cancelled: "the transfer was cancelled"
        case .invalidURL(let url): "“\(url.withoutPassword)” is not an http or https URL"
        case .cannotFindHost(let reason): "the host cannot be found: \(reason)"
        case .cannotConnect(let reason): "no connection: \(reason)"
        case .connectionLost(let reason): "the connection ended before the response did: \(reason)"
        case .timedOut(.connect): "no connection within the time allowed"
        case .timedOut(.idle): "the server stopped sending for longer than allowed"
        case .timedOut(.total): "the transfer took longer than allowed"
        case .untrustedServer(let reason): "the server cannot be trusted: \(reason)"
        case .proxyRefused(407, let challenges):
            "the proxy wants a credential"
                + (challenges.isEmpty ? "" : ": " + challenges.map(\.summary).joined(separator: ", "))
        case .proxyRefused(let status, _): "the proxy makes no tunnel: it answered \(status)"
        case .addressRefused(let reason): "the address is not allowed: \(reason)"
        case .invalidCredential(let reason): "the credential cannot be used: \(reason)"
        case .tlsFailure(let reason): "no secure connection: \(reason)"
        case .tooManyRedirects(let maximum): "more than \(maximum) redirects"
        case .redirectRefused(let reason): "the redirect was refused: \(reason)"
        case .bodyTooLarge(let maximum): "the response is larger than \(maximum) bytes"
        case .headersTooLarge(let maximum): "the response's headers are larger than \(maximum) bytes"
        case .malformedResponse(let reason): "the response makes no sense: \(reason)"
        case .responseRefused(let reason): "the response was refused: \(reason)"
        case .temporaryFileFailed(let reason): "what had arrived cannot be read back from its file: \(reason)"
        case .other(let reason): reason
        }
    }

    /// The case as one word that programs can rely on.
    public var code: String {
        switch self {
        case .cancelled: "cancelled"
        case .invalidURL: "invalidURL"
        case .cannotFindHost: "cannotFindHost"
        case .cannotConnect: "cannotConnect"
        case .connectionLost: "connectionLost"
        case .timedOut: "timedOut"
        case .untrustedServer: "untrustedServer"
        case .proxyRefused: "proxyRefused"
        case .addressRefused: "addressRefused"
        case .invalidCredential: "invalidCredential"
        case .tlsFailure: "tlsFailure"
        case .tooManyRedirects: "tooManyRedirects"
        case .redirectRefused: "redirectRefused"
        case .bodyTooLarge: "bodyTooLarge"
        case .headersTooLarge: "headersTooLarge"
        case .malformedResponse: "malformedResponse"
        case .responseRefused: "responseRefused"
        case .temporaryFileFailed: "temporaryFileFailed"
        case .other: "transfer"
        }
    }
}

extension TransferError: LocalizedError {
    /// The same as ``description``, for `localizedDescription`.
    public var errorDescription: String? { description }
}

extension AuthenticationChallenge {
    /// The scheme and realm: "basic for “Intranet”".
    fileprivate var summary: String { realm.map { "\(scheme) for “\($0)”" } ?? scheme }
}
