/// What happens when a load fails, or must not use the network that is there.
///
/// The order is: the source is tried as often as ``retry`` says; if the network is metered and may not be used, the
/// ``lowDataSource`` is loaded instead; then each of the ``alternatives`` in turn. A cancelled load does none of this.
public struct RecoveryPolicy: Sendable, Hashable {
    private struct Fields: Sendable, Hashable {
        var retry: Hook<any RetryStrategy>?
        var alternatives: [Source] = []
        var lowDataSource: Source?
        var allowsMetered = true
    }

    /// Most loads have the defaults, and options are copied with each: so the fields are behind one pointer, which is
    /// `nil` for the defaults.
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

    /// Whether a source that failed is tried again, and when. It is asked about failures to get the bytes, not about
    /// those of decoding or processing. Default: `nil`, which is never.
    public var retry: (any RetryStrategy)? {
        get { storage?.fields.retry?.body }
        set { fields.retry = newValue.map { Hook($0, identity: $0) } }
    }

    /// The same, to be compared.
    var retryHook: Hook<any RetryStrategy>? {
        get { storage?.fields.retry }
        set { fields.retry = newValue }
    }

    /// What is loaded with the same options if the source fails, in this order, each at most once. Default: none.
    public var alternatives: [Source] {
        get { storage?.fields.alternatives ?? [] }
        set { fields.alternatives = newValue }
    }

    /// What is loaded instead if the network is metered, at most once. With one, metered networks carry neither the
    /// source nor its alternatives. Default: `nil`.
    public var lowDataSource: Source? {
        get { storage?.fields.lowDataSource }
        set { fields.lowDataSource = newValue }
    }

    /// Whether a metered network may be used; if not, what no cache has fails with
    /// ``ImageError/Reason/meteredNetwork`` there. Default: `true`.
    public var allowsMetered: Bool {
        get { storage?.fields.allowsMetered ?? true }
        set { fields.allowsMetered = newValue }
    }

    /// The defaults.
    public init() {}

    /// Whether another source may have to be loaded.
    var hasOtherSources: Bool {
        storage.map { !$0.fields.alternatives.isEmpty || $0.fields.lowDataSource != nil } ?? false
    }

    /// What matters to the load of a single source.
    var ofOneSource: RecoveryPolicy {
        guard hasOtherSources else { return self }
        var policy = RecoveryPolicy()
        policy.fields.retry = fields.retry
        policy.fields.allowsMetered = allowsMetered && lowDataSource == nil
        return policy
    }

    /// Whether both say the same.
    public static func == (left: RecoveryPolicy, right: RecoveryPolicy) -> Bool {
        left.storage === right.storage || left.fields == right.fields
    }

    /// Feeds what the policy says.
    public func hash(into hasher: inout Hasher) {
        if let storage { hasher.combine(storage.fields) }
    }
}
