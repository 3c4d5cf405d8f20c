internal import FoundationEssentials
internal import HTTPTypes
internal import HalcyonHTTP

extension OriginalKey {
    /// The key of a source's original as these options ask for it.
    ///
    /// `nil` where the source has no name, its file has to be looked at first, or its answer must not be given to another
    /// request: the one to a method other than GET, or to a body, unless the source has a cache key.
    ///
    /// - Parameter defaults: What a downloader adds to all requests. Default: nothing.
    init?(_ source: Source, options: ImageOptions, over defaults: NetworkPolicy = NetworkPolicy()) {
        guard case .network(let transfer) = source.location else {
            guard let name = source.originalName else { return nil }
            self.init(text: name, scope: options.cache.scope.name)
            return
        }
        let request = options.network.applied(to: transfer, over: defaults)
        if let name = source.cacheKey {
            self.init(text: name, scope: Self.scope(of: request, options, defaults))
            return
        }
        guard request.method == .get, request.body == nil else { return nil }
        // Who asks is in the scope, and is not to be read in a cache.
        let name = request.url.withoutUser.absoluteString
        self.init(text: name, scope: Self.scope(of: request, options, defaults))
    }

    /// Whether the scope was named, and is not what the request carries.
    var hasNamedScope: Bool { scope?.utf8.first == CacheScope.nameMark }

    private static func scope(
        of request: TransferRequest,
        _ options: ImageOptions,
        _ defaults: NetworkPolicy
    ) -> String? {
        switch options.cache.scope {
        case .credential:
            if let name = options.network.modifierScope ?? defaults.modifierScope {
                return CacheScope.named(name).name
            }
            return CredentialDigester.installation.digest(of: request).map { "c\($0)" }
        case .named, .sharedAcrossCredentials:
            return options.cache.scope.name
        }
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
    /// What the modifier names.
    fileprivate var modifierScope: String? { rules.requestModifier?.body.cacheScope }
}
