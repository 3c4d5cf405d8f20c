public import FoundationEssentials
public import HalcyonHTTP

/// A type that changes transfers: their requests, redirects, credentials, responses and bodies. Each requirement but
/// ``cacheIdentity`` has a default that changes nothing.
///
/// ```swift
/// struct Decryption: DownloadHooks {
///     let key: SymmetricKey
///     let cacheIdentity: DownloadIdentity? = "decrypted-2"
///
///     func modified(_ data: Data, of response: TransferResponse) throws -> Data? {
///         try open(data, using: key)
///     }
/// }
/// ```
///
/// Hooks of a downloader (``ImageDownloader/Configuration/policy``) and of a request (``ImageOption/hooks(_:)``) run one
/// after the other, the downloader's first; credentials are asked of the request's first. Equal requests with equal hooks
/// share a transfer; hooks are compared when they are set, and not by loads.
///
/// Equal hooks are taken to answer for the same user, as long as their ``cacheIdentity`` is the same. Credentials that a
/// server has accepted are kept within the process: of hooks that are an object for as long as the program keeps that,
/// of values, of which an equal one may be made for each request, at most 256. None is written to a file.
public protocol DownloadHooks: Hashable, Sendable {
    /// The name of whose image comes of these hooks, and of what they make of its bytes.
    ///
    /// It is part of the name of an image in caches, so images are found again by requests with the same identity, and
    /// by no others. `nil` for a request, or for a downloader that a request names (``ImageOption/downloader(_:)``):
    /// the load neither reads nor writes a cache, shares no work, and no failure of it is remembered, as the image may be
    /// another the next time. The hooks of a pipeline's downloader are the same for all of its requests, and need none.
    ///
    /// Read with each load. An observer is told once of each type of hooks that names none where it should
    /// (``LoadActivity/hooksWithoutIdentity(_:)``).
    var cacheIdentity: DownloadIdentity? { get }

    /// Returns the request to send; URL, method, headers and all else may differ. `nil` or an error rejects it: nothing
    /// is sent, and the download fails with ``ImageError/Reason/requestRejected(_:)``. Default: the same request.
    func modified(_ request: TransferRequest) async throws -> TransferRequest?

    /// Returns the request to continue with after a redirect; `nil` or an error refuses the redirect, and the download
    /// fails with ``ImageError/Reason/redirectRejected(_:)``. Default: the proposed request.
    ///
    /// Not called for a redirect that may not be followed anyway: one too many, or to another scheme than `http` and
    /// `https`.
    ///
    /// The credential and the headers that `request` carries for its own origin are sent to no other: where the URL is
    /// changed to one of another origin, they are left out. A credential for a proxy is sent to that proxy only, and
    /// credentials that the transport has for a host are not sent unencrypted once a request was encrypted.
    ///
    /// - Parameters:
    ///   - response: The head of the redirect.
    ///   - request: The next request as HTTP defines it (RFC 9110, section 15.4). If it is for another origin, it has
    ///     no credential, and of the headers only those that describe the resource (``TransferRequest/headers``); hooks
    ///     that trust the other server may add the missing ones.
    func request(after response: TransferResponse, proposed request: TransferRequest) async throws -> TransferRequest?

    /// Returns the credential to try when a server (status 401) or a proxy (407) asks for one; `nil` for none. If there is
    /// none, or an error is thrown, the refusal stands, ``ImageError/Reason/status(_:)``. Default: `nil`.
    ///
    /// Concurrent transfers to one origin call it once and share the credential. One that a server has accepted is sent
    /// with later requests for the same folder of its paths, or one below, before the server asks for it (RFC 7617,
    /// section 2.2), and for other folders of the same realm when it does, until the server rejects it. A status that
    /// ``NetworkPolicy/acceptedStatusCodes`` names asks for nothing.
    func credential(for demand: AuthenticationDemand) async throws -> Credential?

    /// Returns the head of the final response for checks and callers; `nil` or an error ends the transfer without the
    /// body, and the download fails with ``ImageError/Reason/responseRejected(_:)``. Default: the same head.
    ///
    /// The transfer is paused until it returns. Status and content type are checked afterwards.
    func modified(_ response: TransferResponse) async throws -> TransferResponse?

    /// Returns the bytes to continue with once a body is complete, before anything else reads it; `nil` or an error fails
    /// the download with ``ImageError/Reason/dataRejected(_:)``. Default: the same bytes.
    ///
    /// Called on a thread that may be kept busy, once for all callers that share the transfer. Caches keep its result.
    func modified(_ data: Data, of response: TransferResponse) throws -> Data?
}

extension DownloadHooks {
    /// The same request, the default.
    public func modified(_ request: TransferRequest) async throws -> TransferRequest? { request }

    /// The proposed request, the default.
    public func request(
        after response: TransferResponse,
        proposed request: TransferRequest
    ) async throws -> TransferRequest? {
        request
    }

    /// No credential, the default.
    public func credential(for demand: AuthenticationDemand) async throws -> Credential? { nil }

    /// The same head, the default.
    public func modified(_ response: TransferResponse) async throws -> TransferResponse? { response }

    /// The same bytes, the default.
    public func modified(_ data: Data, of response: TransferResponse) throws -> Data? { data }
}

/// The identity of what hooks make of a transfer; see ``DownloadHooks/cacheIdentity``.
public enum DownloadIdentity: Sendable, Hashable {
    /// The image is the same as without the hooks, which sign the request or choose a mirror.
    case unchanged
    /// The name of the user and of the effect on bytes, parameters and version included, such as "user-42" or
    /// "decrypted-2". It stands in the disk cache as it is.
    case named(String)

    /// The name as a part of keys; `nil` if there is none.
    var name: String? { if case .named(let name) = self { name } else { nil } }
}

extension DownloadIdentity: ExpressibleByStringInterpolation {
    /// The identity of a name.
    public init(stringLiteral name: String) {
        self = .named(name)
    }
}

/// The demand of a server or a proxy for a credential.
public struct AuthenticationDemand: Sendable, Hashable {
    /// The requested URL; after a redirect, the URL that it led to.
    public var url: URL
    /// A Boolean value that indicates whether the demand comes from a proxy; the credential is sent to that proxy only.
    /// Default: `false`.
    public var isProxy: Bool
    /// The accepted kinds of authentication; empty where the server does not name them.
    public var challenges: [AuthenticationChallenge]
    /// The number of refusals of this transfer so far, this one included. Default: 1.
    public var attempt: Int
    /// The credential that was just rejected. Default: `nil`.
    public var rejected: Credential?

    /// A demand.
    public init(
        url: URL,
        isProxy: Bool = false,
        challenges: [AuthenticationChallenge],
        attempt: Int = 1,
        rejected: Credential? = nil
    ) {
        self.url = url
        self.isProxy = isProxy
        self.challenges = challenges
        self.attempt = attempt
        self.rejected = rejected
    }
}
