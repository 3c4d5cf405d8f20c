extension ImageOptions {
    /// These options for a pipeline with other defaults: each field that says what ``ImageOptions/init()`` says is the
    /// pipeline's. Options that were made of the pipeline's own are used as they are, and so say the same again where they
    /// were set back.
    func over(_ defaults: ImageOptions) -> ImageOptions {
        if hasBase(of: defaults) || defaults.isStandard { return self }
        if isStandard { return defaults }
        var options = self
        let standard = ImageOptions()
        if processing == standard.processing { options.processing = defaults.processing }
        if priority == standard.priority { options.priority = defaults.priority }
        if cache != defaults.cache { options.cache = cache.over(defaults.cache) }
        if decode != defaults.decode { options.decode = decode.over(defaults.decode) }
        if network != defaults.network { options.network = network.over(defaults.network) }
        if recovery != defaults.recovery { options.recovery = recovery.over(defaults.recovery) }
        return options
    }
}

/// A group of options whose fields are merged one by one.
private protocol OptionGroup {
    init()
}

extension OptionGroup {
    /// Takes over a field that was left as it is by default.
    fileprivate mutating func fill<Value: Equatable>(_ field: WritableKeyPath<Self, Value>, from defaults: Self) {
        if self[keyPath: field] == Self()[keyPath: field] { self[keyPath: field] = defaults[keyPath: field] }
    }
}

extension CachePolicy: OptionGroup {
    fileprivate func over(_ defaults: CachePolicy) -> CachePolicy {
        var policy = self
        policy.fill(\.reads, from: defaults)
        policy.fill(\.freshness, from: defaults)
        policy.fill(\.staleIfError, from: defaults)
        policy.fill(\.revalidates, from: defaults)
        policy.fill(\.storesInMemory, from: defaults)
        policy.fill(\.storesOnDisk, from: defaults)
        policy.fill(\.storesOriginal, from: defaults)
        policy.fill(\.waitsForStore, from: defaults)
        policy.fill(\.memoryExpiration, from: defaults)
        policy.fill(\.diskExpiration, from: defaults)
        policy.fill(\.memoryExtension, from: defaults)
        policy.fill(\.diskExtension, from: defaults)
        policy.fill(\.targetCache, from: defaults)
        policy.fill(\.originalCache, from: defaults)
        policy.fill(\.keyRule, from: defaults)
        policy.fill(\.scope, from: defaults)
        policy.fill(\.serializer, from: defaults)
        return policy
    }
}

extension DecodePolicy: OptionGroup {
    fileprivate func over(_ defaults: DecodePolicy) -> DecodePolicy {
        var policy = self
        policy.fill(\.frame, from: defaults)
        policy.fill(\.color, from: defaults)
        policy.fill(\.keepsSixteenBits, from: defaults)
        policy.fill(\.usesEmbeddedThumbnail, from: defaults)
        policy.fill(\.limits, from: defaults)
        return policy
    }
}

extension NetworkPolicy: OptionGroup {
    fileprivate func over(_ defaults: NetworkPolicy) -> NetworkPolicy {
        var policy = self
        policy.fill(\.isAllowed, from: defaults)
        policy.fill(\.timeouts, from: defaults)
        policy.fill(\.limits, from: defaults)
        policy.fill(\.rules.headers, from: defaults)
        policy.fill(\.rules.method, from: defaults)
        policy.fill(\.rules.requestModifier, from: defaults)
        policy.fill(\.rules.handling.redirectHandler, from: defaults)
        policy.fill(\.rules.handling.authenticationResponder, from: defaults)
        policy.fill(\.rules.handling.responseModifier, from: defaults)
        policy.fill(\.rules.handling.acceptedStatusCodes, from: defaults)
        policy.fill(\.rules.handling.acceptedContentTypes, from: defaults)
        policy.fill(\.rules.handling.responseReviewer, from: defaults)
        policy.fill(\.rules.handling.dataModifier, from: defaults)
        return policy
    }
}

extension RecoveryPolicy: OptionGroup {
    fileprivate func over(_ defaults: RecoveryPolicy) -> RecoveryPolicy {
        var policy = self
        policy.fill(\.anyRetry, from: defaults)
        policy.fill(\.alternatives, from: defaults)
        policy.fill(\.lowDataSource, from: defaults)
        policy.fill(\.allowsMetered, from: defaults)
        return policy
    }
}
