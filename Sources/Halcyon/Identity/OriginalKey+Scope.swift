internal import FoundationEssentials
internal import HTTPTypes
internal import HalcyonHTTP

extension OriginalKey {
    /// The key of a source's original as these options ask for it.
    ///
    /// `nil` where the source has no name, its file has to be looked at first, or its answer must not be given to another
    /// request: the one to a method other than GET, or to a body, unless the source has a cache key, and the one whose bytes
    /// a modifier changes that names no identity.
    ///
    /// - Parameter defaults: What a downloader adds to all requests. Default: nothing.
    init?(_ source: Source, options: ImageOptions, over defaults: NetworkPolicy = NetworkPolicy()) {
        guard case .network(let transfer) = source.location else {
            guard let name = source.originalName else { return nil }
            self.init(text: name, scope: options.cache.scope.name)
            return
        }
        var identity: String?
        if let modifier = options.network.dataModifier {
            identity = modifier.cacheIdentity
            if identity == nil { return nil }
        }
        let request = options.network.applied(to: transfer, over: defaults)
        let audience = Self.audience(of: request, options, defaults)
        let scope = identity.map { Self.scope(ofBytes: $0, audience) } ?? audience
        if let name = source.cacheKey {
            self.init(text: name, scope: scope)
            return
        }
        guard request.method == .get, request.body == nil else { return nil }
        // Who asks is in the scope, and is not to be read in a cache.
        let name = request.url.withoutUser.absoluteString
        self.init(text: options.cache.keyRule?.key(for: name) ?? name, scope: scope)
    }

    /// The audience if it was named, and is not only what the request carries.
    var namedAudience: String? {
        guard let audience = scope.map(Self.audience(in:)), let mark = audience.utf8.first,
            mark == CacheScope.nameMark || mark == Self.credentialAndNameMark
        else { return nil }
        return audience
    }

    /// Whose an original is that has no key of its own; `nil` if it is for all.
    static func audience(of source: Source, options: ImageOptions, over defaults: NetworkPolicy) -> String? {
        guard case .network(let transfer) = source.location else { return options.cache.scope.name }
        return audience(of: options.network.applied(to: transfer, over: defaults), options, defaults)
    }

    /// Begins an audience that has both a credential and a name. No other begins with this letter.
    private static let credentialAndNameMark = UInt8(ascii: "b")

    /// Whose it is.
    private static func audience(
        of request: TransferRequest,
        _ options: ImageOptions,
        _ defaults: NetworkPolicy
    ) -> String? {
        switch options.cache.scope {
        case .credential:
            let name = options.network.hookScope ?? defaults.requestModifier?.cacheScope
            let digest = CredentialDigester.installation.digest(of: request)
            // What a hook says of its own credentials says nothing about the one that the request carries already.
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

    /// Begins the identity of a data modifier, which stands before the audience. No audience begins with this letter.
    private static let bytesMark = "d"

    private static func scope(ofBytes identity: String, _ audience: String?) -> String {
        "\(bytesMark)\(identity.utf8.count):\(identity)\(audience ?? "")"
    }

    /// What stands behind the identity of a data modifier, if there is one.
    private static func audience(in scope: String) -> String {
        let bytes = scope.utf8
        guard scope.hasPrefix(bytesMark), let colon = bytes.firstIndex(of: UInt8(ascii: ":")),
            let count = Int(scope[..<colon].dropFirst()),
            let end = bytes.index(bytes.index(after: colon), offsetBy: count, limitedBy: bytes.endIndex)
        else { return scope }
        return String(scope[end...])
    }
}

extension ImageOptions {
    /// Whether a modifier decides what is sent.
    var modifiesRequests: Bool { network.requestModifier != nil }

    /// Whether these options say whose an original is, so that what came for a credential or for another request that
    /// a hook added may be kept under its key.
    func namesAudience(of original: OriginalKey) -> Bool {
        cache.scope == .sharedAcrossCredentials || original.namedAudience != nil
    }
}

extension CacheScope {
    /// Begins a scope that was named. Digests begin with another letter.
    fileprivate static let nameMark = UInt8(ascii: "n")

    /// The scope in a key, if it has a name.
    var name: String? {
        if case .named(let name) = self { "n\(name)" } else { nil }
    }
}

extension NetworkPolicy {
    /// What the modifier names, or else the responder.
    fileprivate var hookScope: String? { requestModifier?.cacheScope ?? authenticationResponder?.cacheScope }
}
