internal import FoundationEssentials
internal import HTTPTypes
internal import HalcyonHTTP

/// The set of requests for one name that are answered with one image.
///
/// A program that loads images for several people gives the same URL different credentials, and may get different
/// images. Neither caches nor shared work mix them up:
///
/// - A request that carries a credential of its own is answered only with what an equal credential was given:
///   `Authorization` and `Cookie` in the headers of the request or of the options (those of
///   ``ImagePipeline/Configuration/defaultOptions`` and of ``ImageDownloader/Configuration/policy`` included), a
///   `Credential`, a user name in the URL, and for `http` the credential that is sent to a proxy.
/// - A `Host` header is part of the URI: what one host has answered answers no other.
/// - Other headers and the body of a POST describe the image, not the user. A secret in another header, such as
///   `X-Api-Key`, is not recognized: name the scope.
/// - A transport with a file of cookies is one user: what it loads answers only requests through a transport with the
///   same file (``HTTPTransport/cacheScope``).
/// - Credentials that the transport adds are the same for all requests of a pipeline.
public enum CacheScope: Sendable, Hashable {
    /// The scope of the credential, or the public one if the request carries none. Another token is another scope, also
    /// if it is a renewed one of the same user.
    ///
    /// Hooks add their credentials after the caches are read: their ``DownloadHooks/cacheIdentity`` keeps images apart
    /// beside this, in every scope.
    case credential
    /// A scope with a name, such as "user-42", whatever the credential: an image is found again after the token was
    /// renewed. The name stands in the disk cache as it is.
    case named(String)
    /// The public scope: the image is the same whatever the credential, which only grants access to it.
    case sharedAcrossCredentials
}

extension OriginalKey {
    /// The key of a source's original with these options.
    ///
    /// `nil` where the source has no name, its file has to be examined first, or its response must not be given to
    /// another request: the response to a method other than GET, or to a body, unless the source has a cache key, and
    /// the one of hooks that name no identity.
    ///
    /// - Parameter defaults: The additions of a downloader to all requests, unless the options name one. Default: none.
    init?(_ source: Source, options: ImageOptions, over defaults: NetworkPolicy = NetworkPolicy()) {
        guard case .network(let transfer) = source.location else {
            guard let name = source.originalName else { return nil }
            let audience = Self.audience(of: source, options: options, over: defaults)
            self.init(text: name, scope: Self.scope(ofValuesIn: options, audience))
            return
        }
        let defaults = options.network.additions(or: defaults)
        guard let identities = options.network.hookIdentities(over: defaults) else { return nil }
        let request = options.network.applied(to: transfer, over: defaults)
        var audience = Self.transportAudience(of: request, options, defaults)
        // It is part of the URI that the server is asked for (RFC 9110, section 7.1).
        if let host = Self.hostField.flatMap({ request.headers[$0] }) {
            audience = Self.scope(Self.hostMark, host.lowercased(), audience)
        }
        audience = identities.reduce(audience) { Self.scope(Self.hooksMark, $1, $0) }
        let scope = Self.scope(ofValuesIn: options, audience)
        if let name = source.cacheKey {
            self.init(text: name, scope: scope)
            return
        }
        guard request.method == .get, request.body == nil else { return nil }
        // A user name belongs to the scope, and must not be readable in a cache.
        let name = request.url.name
        self.init(text: options.cache.keyRule?.key(for: name) ?? name, scope: scope)
    }

    /// The audience if hooks or the options name it, so that it does not consist of the request's credential alone.
    var namedAudience: String? {
        guard let audience = scope.map(Self.withoutValues),
            audience.hasPrefix(Self.hooksMark) || audience.hasPrefix(CacheScope.nameMark)
        else { return nil }
        return audience
    }

    /// Returns the audience of an original that has no key of its own; `nil` if it is public.
    static func audience(of source: Source, options: ImageOptions, over defaults: NetworkPolicy) -> String? {
        guard let transfer = source.request else { return options.cache.scope.name }
        let defaults = options.network.additions(or: defaults)
        return audience(of: options.network.applied(to: transfer, over: defaults), options)
    }

    /// Returns whether the key of a source's original contains the digest of a credential whose key has to be read from the
    /// disk first, as for the first such request of a process.
    static func waitsForDisk(of source: Source, options: ImageOptions, over defaults: NetworkPolicy) -> Bool {
        guard !CredentialDigester.hasInstallationKey, case .credential = options.cache.scope,
            let transfer = source.request
        else { return false }
        return options.network.applied(to: transfer, over: options.network.additions(or: defaults)).carriesCredential
    }

    /// Returns the audience of a request's original, hooks and transport aside; `nil` if it is public.
    private static func audience(of request: TransferRequest, _ options: ImageOptions) -> String? {
        switch options.cache.scope {
        case .credential: CredentialDigester.installation.digest(of: request).map { "c\($0)" }
        case .named, .sharedAcrossCredentials: options.cache.scope.name
        }
    }

    /// Returns the audience of a request's original, hooks aside, with the user whose cookies the transport sends where no
    /// option names an audience; `nil` if it is public.
    private static func transportAudience(
        of request: TransferRequest,
        _ options: ImageOptions,
        _ defaults: NetworkPolicy
    ) -> String? {
        let audience = audience(of: request, options)
        guard case .credential = options.cache.scope, let user = defaults.transportScope else { return audience }
        return scope(transportMark, user, audience)
    }

    /// The first letter of the user of a transport, which stands before the audience. No audience begins with it.
    private static let transportMark = "t"

    private static let hostField = HTTPField.Name("Host")

    /// The first letter of a host that a request names beside its URL, which stands before the audience. No audience begins
    /// with it.
    private static let hostMark = "h"

    /// The first letter of the identity of hooks, which stands before the audience. No audience begins with it.
    private static let hooksMark = "d"

    /// The first letter of the identities of the program's own values, which stand before all else. Nothing else begins
    /// with it.
    private static let valuesMark = "v"

    /// Returns a scope with the values of the program's own that take part in the identity of images.
    static func scope(ofValuesIn options: ImageOptions, _ scope: String?) -> String? {
        guard let identity = options.values.identity else { return scope }
        return Self.scope(valuesMark, identity, scope)
    }

    private static func scope(_ mark: String, _ identity: String, _ audience: String?) -> String {
        "\(mark)\(identity.utf8.count):\(identity)\(audience ?? "")"
    }

    /// Returns the text after the identities of values, or all of it if there is none.
    private static func withoutValues(_ scope: String) -> String {
        let bytes = scope.utf8
        guard scope.hasPrefix(valuesMark),
            let colon = bytes.firstIndex(of: UInt8(ascii: ":")),
            let count = Int(scope[..<colon].dropFirst()),
            let end = bytes.index(bytes.index(after: colon), offsetBy: count, limitedBy: bytes.endIndex)
        else { return scope }
        return String(scope[end...])
    }
}

extension Source {
    /// The request whose credential counts: that to a server, or the one that a loader answers in its place.
    fileprivate var request: TransferRequest? {
        if case .network(let request) = location { request } else { loadedRequest }
    }
}

extension CacheScope {
    /// The first letter of a named scope. Digests begin with another letter.
    fileprivate static let nameMark = "n"

    /// The scope as a part of keys, if it has a name.
    var name: String? {
        if case .named(let name) = self { "n\(name)" } else { nil }
    }
}

extension NetworkPolicy {
    /// The names that hooks give to images: that of the downloader's, then that of the request's; `nil` if hooks that
    /// count as the request's have no identity.
    ///
    /// - Parameter defaults: The policy of the downloader, which is read once for a key, as it may be replaced meanwhile.
    func hookIdentities(over defaults: NetworkPolicy) -> [String]? {
        var names: [String] = []
        if let shared = defaults.hooks {
            switch shared.cacheIdentity {
            case .named(let name): names.append(name)
            case .unchanged: break
            // Those of the pipeline's downloader are the same for all.
            case nil: if downloader != nil { return nil }
            }
        }
        if let hooks {
            guard let identity = hooks.cacheIdentity else { return nil }
            if let name = identity.name { names.append(name) }
        }
        return names
    }

    /// The hooks that count as the request's and have no identity; empty if there are none.
    func hooksWithoutIdentity(over defaults: NetworkPolicy) -> [any DownloadHooks] {
        [downloader == nil ? nil : defaults.hooks, hooks].compactMap(\.self).filter { $0.cacheIdentity == nil }
    }
}
