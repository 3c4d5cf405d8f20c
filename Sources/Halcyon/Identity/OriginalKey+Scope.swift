internal import FoundationEssentials
internal import HTTPTypes
internal import HalcyonHTTP

extension OriginalKey {
    /// The key of a source's original with these options.
    ///
    /// `nil` where the source has no name, its file has to be examined first, or its response must not be given to
    /// another request: the response to a method other than GET, or to a body, unless the source has a cache key, and
    /// the one whose bytes a modifier changes that names no identity.
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
        guard let identities = options.network.bytesIdentities(over: defaults) else { return nil }
        let request = options.network.applied(to: transfer, over: defaults)
        let audience = identities.reduce(Self.audience(of: request, options, defaults)) { audience, identity in
            Self.scope(Self.bytesMark, identity, audience)
        }
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

    /// The audience if it has a name, and does not consist of the request's credential alone.
    var namedAudience: String? {
        guard let audience = scope.map(Self.audience(in:)), let mark = audience.utf8.first,
            mark == CacheScope.nameMark || mark == Self.credentialAndNameMark
        else { return nil }
        return audience
    }

    /// Returns the audience of an original that has no key of its own; `nil` if it is public.
    static func audience(of source: Source, options: ImageOptions, over defaults: NetworkPolicy) -> String? {
        guard let transfer = source.request else { return options.cache.scope.name }
        let defaults = options.network.additions(or: defaults)
        return audience(of: options.network.applied(to: transfer, over: defaults), options, defaults)
    }

    /// Returns whether the key of a source's original contains the digest of a credential whose key has to be read from the
    /// disk first, as for the first such request of a process.
    static func waitsForDisk(of source: Source, options: ImageOptions, over defaults: NetworkPolicy) -> Bool {
        guard !CredentialDigester.hasInstallationKey, case .credential = options.cache.scope,
            let transfer = source.request
        else { return false }
        return options.network.applied(to: transfer, over: options.network.additions(or: defaults)).carriesCredential
    }

    /// The first letter of an audience that has both a credential and a name. No other audience begins with it.
    private static let credentialAndNameMark = UInt8(ascii: "b")

    /// Returns the audience of a request's original; `nil` if it is public.
    private static func audience(
        of request: TransferRequest,
        _ options: ImageOptions,
        _ defaults: NetworkPolicy
    ) -> String? {
        switch options.cache.scope {
        case .credential:
            let name =
                options.network.hookScope ?? defaults.requestModifier?.cacheScope
                ?? (options.network.downloader == nil ? nil : defaults.authenticationResponder?.cacheScope)
            let digest = CredentialDigester.installation.digest(of: request)
            // The scope that a hook names is that of its own credentials, not of the one that the request carries
            // already.
            return switch (digest, name) {
            case (let digest?, let name?): "b\(digest)n\(name)"
            case (let digest?, nil): "c\(digest)"
            case (nil, let name?): CacheScope.named(name).name
            case (nil, nil): nil
            }
        case .named, .sharedAcrossCredentials:
            return options.cache.scope.name
        }
    }

    /// The first letter of the identity of a data modifier, which stands before the audience. No audience begins with
    /// it.
    private static let bytesMark = "d"

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

    /// Returns the text after the identities of values and of data modifiers, or all of it if there is none.
    private static func audience(in scope: String) -> String {
        let bytes = scope.utf8
        guard scope.hasPrefix(bytesMark) || scope.hasPrefix(valuesMark),
            let colon = bytes.firstIndex(of: UInt8(ascii: ":")),
            let count = Int(scope[..<colon].dropFirst()),
            let end = bytes.index(bytes.index(after: colon), offsetBy: count, limitedBy: bytes.endIndex)
        else { return scope }
        return audience(in: String(scope[end...]))
    }
}

extension Source {
    /// The request whose credential counts: that to a server, or the one that a loader answers in its place.
    fileprivate var request: TransferRequest? {
        if case .network(let request) = location { request } else { loadedRequest }
    }
}

extension ImageOptions {
    /// A Boolean value that indicates whether a modifier of these options, or of the downloader that they name, changes
    /// the requests that are sent.
    var modifiesRequests: Bool {
        network.requestModifier != nil || network.downloader?.configuration.policy.requestModifier != nil
    }

    /// Returns whether these options name the audience of an original, so that a response to a credential or to another
    /// request that a hook added may be kept under its key.
    func namesAudience(of original: OriginalKey) -> Bool {
        cache.scope == .sharedAcrossCredentials || original.namedAudience != nil
    }
}

extension CacheScope {
    /// The first letter of a named scope. Digests begin with another letter.
    fileprivate static let nameMark = UInt8(ascii: "n")

    /// The scope as a part of keys, if it has a name.
    var name: String? {
        if case .named(let name) = self { "n\(name)" } else { nil }
    }
}

extension NetworkPolicy {
    /// The scope that the modifier names, or else the responder.
    fileprivate var hookScope: String? { requestModifier?.cacheScope ?? authenticationResponder?.cacheScope }

    /// The names of what data modifiers do to bytes: that of the downloader that the request names, then that of the
    /// request; `nil` if one of them has no name.
    ///
    /// - Parameter defaults: The policy of that downloader, which is read once for a key, as it may be replaced meanwhile.
    func bytesIdentities(over defaults: NetworkPolicy) -> [String]? {
        if downloader == nil, dataModifier == nil { return [] }
        let modifiers = [downloader == nil ? nil : defaults.dataModifier, dataModifier].compactMap(\.self)
        let identities = modifiers.compactMap { $0.cacheIdentity }
        return identities.count == modifiers.count ? identities : nil
    }
}
