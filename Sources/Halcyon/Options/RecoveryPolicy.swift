/// The steps that follow when a load fails, or must not use the network that is available.
///
/// Their order: the source is tried as often as ``retry`` says; if the network is metered and may not be used, the
/// ``lowDataSource`` is loaded instead; then each of the ``alternatives`` in turn. A cancelled load takes none of these
/// steps.
public struct RecoveryPolicy: Sendable, Hashable {
    /// The strategy that decides whether a source that failed is tried again, and when. It decides about failures to
    /// load the bytes, not about those of decoding or processing. Default: `nil`, which never tries again.
    public var retry: (any RetryStrategy)? {
        get { retryHook?.body }
        set { retryHook = newValue.map { Hook($0, identity: $0) } }
    }

    /// The same strategy, comparable.
    var retryHook: Hook<any RetryStrategy>?

    /// The sources to load with the same options if the source fails, in this order, each at most once. Default: none.
    public var alternatives: [Source] = []

    /// The source to load instead if the network is metered, at most once. If there is one, neither the source nor its
    /// alternatives are loaded over a metered network. Default: `nil`.
    public var lowDataSource: Source?

    /// A Boolean value that indicates whether a metered network may be used; if not, an image that no cache has fails
    /// with ``ImageError/Reason/meteredNetwork`` on such a network. Default: `true`.
    public var allowsMetered = true

    /// The defaults.
    public init() {}

    /// A Boolean value that indicates whether another source may have to be loaded.
    var hasOtherSources: Bool { !alternatives.isEmpty || lowDataSource != nil }

    /// The part of the policy that concerns the load of a single source.
    var ofOneSource: RecoveryPolicy {
        guard hasOtherSources else { return self }
        var policy = RecoveryPolicy()
        policy.retryHook = retryHook
        policy.allowsMetered = allowsMetered && lowDataSource == nil
        return policy
    }
}
