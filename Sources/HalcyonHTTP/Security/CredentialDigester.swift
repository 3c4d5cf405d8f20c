package import FoundationEssentials
internal import Glibc
package import HTTPTypes
internal import HalcyonSystem
internal import Synchronization

/// Distinguishes requests with one credential from those with another, without keeping either.
///
/// A digest is the same for equal credentials, and of no use without the key: neither is the credential found from it,
/// nor a guess confirmed.
package struct CredentialDigester: Sendable {
    private let hash: KeyedHash

    /// - Parameter key: The 16 bytes of the key; default: random ones.
    package init(key: [UInt8]? = nil) {
        hash = KeyedHash(key: key ?? InstallationSecret.random())
    }

    /// The digester whose digests are the same in later processes of this user on this machine, where its key can be
    /// kept. The key is read, or made and written, when this is first used, which waits for the disk; see
    /// ``hasInstallationKey``.
    package static var installation: CredentialDigester { fleet.withLock { $0 } ?? ofThisMachine }

    /// The digester of a fleet, whose machines name the images of a credential alike.
    private static let fleet = Lock<CredentialDigester?>(nil)

    /// Uses the key of a fleet for ``installation`` from now on.
    package static func join(fleetWithKey key: [UInt8]) {
        let digester = CredentialDigester(key: key)
        fleet.withLock { $0 = digester }
        installationKeyIsThere.store(true, ordering: .releasing)
    }

    private static let ofThisMachine: CredentialDigester = {
        let folder = InstallationSecret.folder(home: CacheLocation.homeOfUser()) {
            getenv($0).map { String(cString: $0) }
        }
        defer { installationKeyIsThere.store(true, ordering: .releasing) }
        return CredentialDigester(key: folder.flatMap(InstallationSecret.key))
    }()

    private static let installationKeyIsThere = Atomic(false)

    /// A Boolean value that indicates whether using ``installation`` does not wait for the disk.
    package static var hasInstallationKey: Bool { installationKeyIsThere.load(ordering: .acquiring) }

    /// Returns 32 hexadecimal digits; `nil` for a request that carries no credential of its own.
    package func digest(of request: TransferRequest) -> String? {
        guard let bytes = request.credentialBytes else { return nil }
        let words = hash.hash(of: bytes)
        return words.0.hexadecimalDigits + words.1.hexadecimalDigits
    }
}

extension TransferRequest {
    /// A Boolean value that indicates whether the request itself proves an identity: by `Authorization`, `Cookie`,
    /// ``credential``, a user name in the URL, or the credential of a proxy that sees the response.
    package var carriesCredential: Bool { credentialBytes != nil }

    /// The proof of identity in the request, written in one way only; `nil` if there is none.
    fileprivate var credentialBytes: [UInt8]? {
        // Asked of each load, most of which have none.
        if headers.isEmpty, credential == nil, proxyCredential == nil,
            !url.absoluteString.utf8Contains(UInt8(ascii: "@"))
        {
            return nil
        }
        var bytes: [UInt8] = []
        func append(_ tag: UInt8, _ texts: [String]) {
            bytes.append(tag)
            for text in texts {
                withUnsafeBytes(of: UInt64(text.utf8.count).littleEndian) { bytes.append(contentsOf: $0) }
                bytes.append(contentsOf: text.utf8)
            }
        }
        func append(_ tag: UInt8, _ credential: Credential) {
            switch credential {
            case .basic(let user, let password): append(tag, ["basic", user, password])
            case .digest(let user, let password): append(tag, ["digest", user, password])
            case .bearer(let token): append(tag, ["bearer", token])
            }
        }
        // In the order of precedence: only one is sent.
        if headers[.authorization] != nil {
            append(1, headers[values: .authorization])
        } else if let credential = credential ?? urlCredential {
            append(2, credential)
        }
        if headers[.cookie] != nil { append(3, headers[values: .cookie]) }
        // Through a tunnel, the proxy has no part in the response.
        if url.scheme?.lowercased() == "http" {
            if headers[.proxyAuthorization] != nil {
                append(4, headers[values: .proxyAuthorization])
            } else if let proxyCredential {
                append(5, proxyCredential)
            }
        }
        return bytes.isEmpty ? nil : bytes
    }
}

extension HTTPField.Name {
    /// A Boolean value that indicates whether a field of this name is a credential.
    package var isCredential: Bool { self == .authorization || self == .cookie || self == .proxyAuthorization }
}

extension URL {
    /// The URL without user name and password.
    package var withoutUser: URL {
        guard absoluteString.utf8Contains(UInt8(ascii: "@")), user(percentEncoded: true) != nil,
            var components = URLComponents(url: self, resolvingAgainstBaseURL: true)
        else { return self }
        components.percentEncodedUser = nil
        components.percentEncodedPassword = nil
        return components.url?.absoluteURL ?? self
    }
}
