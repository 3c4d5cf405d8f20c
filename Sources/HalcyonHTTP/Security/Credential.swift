/// What proves to a server or a proxy who asks.
///
/// Descriptions leave the secret out, so that a credential may end up in a log.
public enum Credential: Sendable, Hashable {
    /// Name and password, sent unencrypted but for TLS, with the first request (RFC 7617).
    case basic(user: String, password: String)
    /// Name and password, proved without sending the password, after the server has asked (RFC 7616).
    case digest(user: String, password: String)
    /// A token, sent with the first request (RFC 6750).
    case bearer(String)
}

extension Credential: CustomStringConvertible, CustomDebugStringConvertible {
    /// The scheme and the user, without the secret.
    public var description: String {
        switch self {
        case .basic(let user, _): "basic credential of \(user)"
        case .digest(let user, _): "digest credential of \(user)"
        case .bearer: "bearer token"
        }
    }

    /// The same as ``description``.
    public var debugDescription: String { description }
}
