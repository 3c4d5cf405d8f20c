internal import FoundationEssentials
internal import HalcyonHTTP

/// The part of a server that a stored credential is for, and the user whose it is.
struct CredentialSpace: Hashable, Sendable, Codable {
    private let isSecure: Bool
    private let host: String
    private let port: Int
    private let realms: [String?]
    /// The scope of the responder; `nil` for none.
    private let scope: String?

    /// - Returns: `nil` for the demand of a proxy, and for one without an origin.
    init?(_ demand: AuthenticationDemand, scope: String?) {
        guard !demand.isProxy, let origin = Origin(demand.url.absoluteString) else { return nil }
        isSecure = origin.isSecure
        host = origin.host
        port = origin.port
        realms = demand.challenges.map(\.realm)
        self.scope = scope
    }

    /// Compares bytes: names that only look the same are those of other users.
    static func == (left: CredentialSpace, right: CredentialSpace) -> Bool {
        left.isSecure == right.isSecure && left.port == right.port && left.texts == right.texts
    }

    func hash(into hasher: inout Hasher) {
        hasher.combine(port)
        hasher.combine(texts)
    }

    private var texts: [ExactString?] { ([host, scope] + realms).map { $0.map(ExactString.init) } }
}

/// A credential with its space, in the form of the file.
struct CredentialRecord: Hashable, Sendable, Codable {
    private enum Kind: String, Codable {
        case basic, digest, bearer
    }

    private struct File: Codable {
        var version: Int
        var credentials: [CredentialRecord]
    }

    let space: CredentialSpace
    private let kind: Kind
    private let user: String
    private let secret: String

    init(space: CredentialSpace, _ credential: Credential) {
        self.space = space
        switch credential {
        case .basic(let user, let password): (kind, self.user, secret) = (.basic, user, password)
        case .digest(let user, let password): (kind, self.user, secret) = (.digest, user, password)
        case .bearer(let token): (kind, user, secret) = (.bearer, "", token)
        }
    }

    var credential: Credential {
        switch kind {
        case .basic: .basic(user: user, password: secret)
        case .digest: .digest(user: user, password: secret)
        case .bearer: .bearer(secret)
        }
    }

    /// Returns the records of a file; `nil` if it is in another format.
    static func records(_ data: Data) -> [CredentialRecord]? {
        guard let file = try? JSONDecoder().decode(File.self, from: data), file.version == 1 else { return nil }
        return file.credentials
    }

    /// Returns the file of records.
    static func data(_ records: [CredentialRecord]) -> Data? {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
        return try? encoder.encode(File(version: 1, credentials: records))
    }
}
