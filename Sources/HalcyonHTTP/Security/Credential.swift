/// A credential that proves the client's identity to a server or a proxy.
///
/// Descriptions leave the secret out, so that a credential may end up in a log.
public enum Credential: Sendable, Hashable {
    /// A name and a password, sent unencrypted but for TLS, with the first request (RFC 7617).
    case basic(user: String, password: String)
    /// A name and a password, proved without sending the password, after the server's challenge (RFC 7616).
    case digest(user: String, password: String)
    /// A token, sent with the first request (RFC 6750).
    case bearer(String)
}

extension Credential {
    /// Compares bytes: names and secrets that only look the same are others for a server.
    public static func == (left: Credential, right: Credential) -> Bool {
        switch (left, right) {
        case (.basic(let user, let password), .basic(let otherUser, let otherPassword)),
            (.digest(let user, let password), .digest(let otherUser, let otherPassword)):
            user.utf8.elementsEqual(otherUser.utf8) && password.utf8.elementsEqual(otherPassword.utf8)
        case (.bearer(let token), .bearer(let other)): token.utf8.elementsEqual(other.utf8)
        case (.basic, _), (.digest, _), (.bearer, _): false
        }
    }

    /// Hashes what equal credentials have in common.
    public func hash(into hasher: inout Hasher) {
        switch self {
        case .basic(let user, let password), .digest(let user, let password):
            hasher.combine(user)
            hasher.combine(password)
        case .bearer(let token): hasher.combine(token)
        }
    }
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

extension Credential {
    /// Throws an error for text that would end early in C, or be more than one line of a header.
    func validate(for server: String) throws(TransferError) {
        switch self {
        case .basic(let user, let password), .digest(let user, let password):
            guard !user.utf8.contains(0), !password.utf8.contains(0) else {
                throw .invalidCredential("\(server): \(self) holds a zero byte")
            }
            // libcurl writes the name of a digest credential into the header as it is.
            guard user.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else {
                throw .invalidCredential("\(server): a user name cannot hold control characters (RFC 7617, section 2)")
            }
            if case .basic = self, user.utf8.contains(UInt8(ascii: ":")) {
                throw .invalidCredential("\(server): the user name of a \(self) cannot hold a colon (RFC 7617)")
            }
        case .bearer(let token):
            guard !token.isEmpty, token.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
                throw .invalidCredential("\(server): a bearer token is made of visible ASCII characters")
            }
        }
    }
}
