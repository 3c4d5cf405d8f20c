/// The steps that follow when a load fails, or must not use the network that is available.
///
/// Their order: the source is tried as often as ``retry`` says; if the network is metered and may not be used, the
/// ``lowDataSource`` is loaded instead; then each of the ``alternatives`` in turn. A cancelled load takes none of these
/// steps.
public struct RecoveryPolicy: Sendable, Hashable {
    struct Fields: Sendable, Hashable {
        var retry: Hook<any RetryStrategy>?
        var alternatives: [Source] = []
        var lowDataSource: Source?
        var allowsMetered = true
    }

    /// The fields, behind one pointer, which is `nil` for the defaults: most loads have the defaults, and options are
    /// copied with each.
    private final class Storage: Sendable {
        let fields: Fields

        init(_ fields: Fields) {
            self.fields = fields
        }
    }

    private var storage: Storage?

    private var fields: Fields {
        get { storage?.fields ?? Fields() }
        set { storage = newValue == Fields() ? nil : Storage(newValue) }
    }

    /// The strategy that decides whether a source that failed is tried again, and when. It decides about failures to
    /// load the bytes, not about those of decoding or processing. Default: `nil`, which never tries again.
    public var retry: (any RetryStrategy)? {
        get { storage?.fields.retry?.body }
        set { fields.retry = newValue.map { Hook($0, identity: $0) } }
    }

    /// The same strategy, comparable.
    var retryHook: Hook<any RetryStrategy>? {
        get { storage?.fields.retry }
        set { fields.retry = newValue }
    }

    /// The sources to load with the same options if the source fails, in this order, each at most once. Default: none.
    public var alternatives: [Source] {
        get { storage?.fields.alternatives ?? [] }
        set { fields.alternatives = newValue }
    }

    /// The source to load instead if the network is metered, at most once. If there is one, neither the source nor its
    /// alternatives are loaded over a metered network. Default: `nil`.
    public var lowDataSource: Source? {
        get { storage?.fields.lowDataSource }
        set { fields.lowDataSource = newValue }
    }

    /// A Boolean value that indicates whether a metered network may be used; if not, an image that no cache has fails
    /// with ``ImageError/Reason/meteredNetwork`` on such a network. Default: `true`.
    public var allowsMetered: Bool {
        get { storage?.fields.allowsMetered ?? true }
        set { fields.allowsMetered = newValue }
    }

    /// The defaults.
    public init() {}

    /// A Boolean value that indicates whether another source may have to be loaded.
    var hasOtherSources: Bool {
        storage.map { !$0.fields.alternatives.isEmpty || $0.fields.lowDataSource != nil } ?? false
    }

    /// The part of the policy that concerns the load of a single source.
    var ofOneSource: RecoveryPolicy {
        guard hasOtherSources else { return self }
        var policy = RecoveryPolicy()
        policy.fields.retry = fields.retry
        policy.fields.allowsMetered = allowsMetered && lowDataSource == nil
        return policy
    }

    /// Returns whether both policies have the same values.
    public static func == (left: RecoveryPolicy, right: RecoveryPolicy) -> Bool {
        left.storage === right.storage || left.fields == right.fields
    }

    /// Hashes the values of the policy.
    public func hash(into hasher: inout Hasher) {
        if let storage { hasher.combine(storage.fields) }
    }
}
