internal import HTTPTypes

/// The proof that a server (401) or a proxy (407) demands before it answers (RFC 9110, section 11.3).
public struct AuthenticationChallenge: Sendable, Hashable {
    /// The scheme in lower case: "basic", "digest", "bearer", …
    public var scheme: String
    /// The parameters, by their name in lower case, quotes undone.
    public var parameters: [String: String]
    /// The token that some schemes have instead of parameters ("Negotiate YII…").
    public var token: String?

    /// Creates a challenge.
    public init(scheme: String, parameters: [String: String] = [:], token: String? = nil) {
        self.scheme = scheme.lowercased()
        self.parameters = parameters
        self.token = token
    }

    /// The part of the server for which a credential is valid, in the server's own words.
    public var realm: String? { parameters["realm"] }
}

extension TransferResponse {
    /// The challenges of a response of status 401 or 407; empty for others, and where the server states none that is
    /// valid.
    public var challenges: [AuthenticationChallenge] {
        switch status {
        case 401: AuthenticationChallenge.challenges(in: headers[values: .wwwAuthenticate])
        case 407: AuthenticationChallenge.challenges(in: headers[values: .proxyAuthenticate])
        default: []
        }
    }
}
