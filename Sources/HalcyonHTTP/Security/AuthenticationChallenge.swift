internal import HTTPTypes

/// What a server (401) or a proxy (407) wants to see before it answers (RFC 9110, section 11.3).
public struct AuthenticationChallenge: Sendable, Hashable {
    /// In lower case: "basic", "digest", "bearer", …
    public var scheme: String
    /// The parameters, by their name in lower case, quotes undone.
    public var parameters: [String: String]
    /// What stands instead of parameters in some schemes ("Negotiate YII…").
    public var token: String?

    /// A challenge.
    public init(scheme: String, parameters: [String: String] = [:], token: String? = nil) {
        self.scheme = scheme.lowercased()
        self.parameters = parameters
        self.token = token
    }

    /// The part of the server that a credential is good for, in the server's own words.
    public var realm: String? { parameters["realm"] }
}

extension TransferResponse {
    /// What is asked for by a response of status 401 or 407; empty for others, and where the server says nothing
    /// useful.
    public var challenges: [AuthenticationChallenge] {
        switch status {
        case 401: AuthenticationChallenge.challenges(in: headers[values: .wwwAuthenticate])
        case 407: AuthenticationChallenge.challenges(in: headers[values: .proxyAuthenticate])
        default: []
        }
    }
}
