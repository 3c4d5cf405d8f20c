public import HalcyonConcurrency
internal import Synchronization

/// The options of the load of one image: a list of changes to the defaults, readable as plain fields.
///
/// Each field has a standard value, which its documentation states. A field is *set* once an element of an array
/// literal names it or an assignment changes it; all others are left open. A pipeline fills the open fields with those
/// of its ``ImagePipeline/Configuration/defaultOptions``, whichever way the options were made. So a field that is set
/// to its standard value takes precedence over another default of the pipeline.
///
/// ```swift
/// let options: ImageOptions = [.processor(.downsample(to: PixelSize(400, 400))), .cacheOriginalImage]
/// ```
///
/// An assignment to a field of a value that does not change it leaves the field open. An element of a literal sets it in any
/// case, also an ``ImageOption`` of your own, which a pipeline applies to its default options.
public struct ImageOptions: Sendable {
    private var storage: Storage

    var fields: Fields { storage.fields }

    fileprivate init(_ fields: Fields) {
        storage = Storage(fields)
    }

    /// The fields, shared by all copies until one of them is changed: options are passed with each look into memory,
    /// and hold a dozen references that would have to be counted.
    ///
    /// Unchecked: the fields are changed only while no other options share them, which is also why they are not checked
    /// for exclusive access.
    private final class Storage: @unchecked Sendable {
        @exclusivity(unchecked)
        var fields: Fields
        /// The fields that are not left open.
        @exclusivity(unchecked)
        var changes: ImageOptionFields
        /// The program's own changes, in their order.
        @exclusivity(unchecked)
        var customChanges: [CustomChange]
        /// The fields that were set after the last of them; all that were set, if there is none.
        @exclusivity(unchecked)
        var recentChanges: ImageOptionFields
        /// ``ImageOptions/isOrdinary``.
        @exclusivity(unchecked)
        var isOrdinary: Bool
        /// ``ImageOptions/loadProcessing``.
        @exclusivity(unchecked)
        var loadProcessing: ImageProcessorChain
        /// ``ImageOptions/variant``, once it was asked for and had to be encoded.
        let encodedVariant = AtomicLazyReference<ImageKey.Variant>()

        init(_ fields: Fields, _ changes: ImageOptionFields = []) {
            self.fields = fields
            self.fields.values.markAllRecent()
            self.changes = changes
            customChanges = []
            recentChanges = changes
            loadProcessing = fields.loadProcessing
            isOrdinary = fields.isOrdinary(for: loadProcessing)
        }

        init(copying other: Storage) {
            fields = other.fields
            changes = other.changes
            customChanges = other.customChanges
            recentChanges = other.recentChanges
            isOrdinary = other.isOrdinary
            loadProcessing = other.loadProcessing
        }

        func noteChange(of changed: ImageOptionFields) {
            changes.formUnion(changed)
            recentChanges.formUnion(changed)
            if !changed.isDisjoint(with: ImageOptionFields([.processing, .targetSize])) {
                loadProcessing = fields.loadProcessing
            }
            isOrdinary = fields.isOrdinary(for: loadProcessing)
        }
    }

    /// A change of the program's own, with the fields that were set since the one before it.
    ///
    /// Kept because its outcome depends on the fields that it finds, which are those of a pipeline once the pipeline has
    /// filled the open ones.
    private struct CustomChange: Sendable, Hashable {
        let fields: Fields
        let changes: ImageOptionFields
        let closure: IdentifiedClosure<@Sendable (inout ImageOptions) -> Void>
    }

    /// The values of all fields, those that are left open included.
    struct Fields: Sendable, Hashable {
        var processing: ImageProcessorChain = .identity
        var targetSize: TargetSize?
        var cache = CachePolicy()
        var network = NetworkPolicy()
        var decode = DecodePolicy()
        var recovery = RecoveryPolicy()
        var delivery = DeliveryPolicy()
        var priority: LoadPriority = .normal
        var workers: PixelWorkers?
        var previews: [Source] = []
        var progressive = ProgressivePolicy.none
        var interceptorHooks: [Hook<any LoadIntercepting>] = []
        var loaderHooks: [Hook<any SourceLoading>] = []
        var values = ImageOptionValues()

        fileprivate var loadProcessing: ImageProcessorChain {
            targetSize.map { $0.processing |> processing } ?? processing
        }

        fileprivate func isOrdinary(for processing: ImageProcessorChain) -> Bool {
            ImageKey.isPlain(decode, cache, network) && cache.reads.includesMemory && !cache.mayAskAnyway
                && cache.targetCaches == nil && cache.memoryExtension == .originalLifetime && !isInexact
                && delivery.isOrdinary(for: processing) && values.identity == nil && !isIntercepted
        }

        /// A Boolean value that indicates whether interceptors or loaders are named.
        var isIntercepted: Bool { !interceptorHooks.isEmpty || !loaderHooks.isEmpty }

        /// A Boolean value that indicates whether a larger image in memory may answer.
        var isInexact: Bool { targetSize != nil && cache.precision == .inexact }
    }

    private static let standard = Storage(Fields())

    /// Options that leave every field open.
    public init() {
        storage = Self.standard
    }

    /// Options of a list of changes, applied in their order.
    public init(_ changes: [ImageOption]) {
        storage = Self.standard
        apply(changes)
    }

    /// A Boolean value that indicates whether a look into memory needs nothing of these options but their processing
    /// and scale. Stored beside the fields, as each look asks for it.
    @inline(__always)
    var isOrdinary: Bool { storage.isOrdinary }

    /// A Boolean value that indicates whether these are the standard options, untouched.
    var isStandard: Bool { storage === Self.standard }

    private mutating func makeUnique() {
        // A variant that was encoded before is that of the earlier fields.
        if !isKnownUniquelyReferenced(&storage) || storage.encodedVariant.load() != nil {
            storage = Storage(copying: storage)
        }
    }

    /// Changes fields, and marks those among `candidates` whose values differ afterwards as set.
    mutating func change(_ candidates: ImageOptionFields, _ body: (inout Fields) -> Void) {
        makeUnique()
        let earlier = storage.fields
        body(&storage.fields)
        storage.noteChange(of: candidates.differences(between: earlier, and: storage.fields))
    }

    /// A Boolean value that indicates whether the options name interceptors or loaders.
    var isIntercepted: Bool { storage.fields.isIntercepted }

    /// The values of the program's own.
    var values: ImageOptionValues {
        _read { yield storage.fields.values }
    }

    /// The processing of the image. Default: ``ImageProcessorChain/identity``.
    public var processing: ImageProcessorChain {
        _read { yield storage.fields.processing }
        set { change(ImageOptionFields(.processing)) { $0.processing = newValue } }
    }

    /// The size of the place that shows the image: it is decoded no larger, before ``processing``. `nil`: its own size.
    /// Default: `nil`.
    ///
    /// Images of different sizes are kept apart. ``CachePolicy/precision`` says whether a larger one in memory may
    /// answer.
    public var targetSize: TargetSize? {
        _read { yield storage.fields.targetSize }
        set { change(ImageOptionFields(.targetSize)) { $0.targetSize = newValue } }
    }

    /// The reading and writing of caches.
    public var cache: CachePolicy {
        _read { yield storage.fields.cache }
        set { change(.cache) { $0.cache = newValue } }
    }

    /// The use of the network.
    public var network: NetworkPolicy {
        _read { yield storage.fields.network }
        set { change(.network) { $0.network = newValue } }
    }

    /// The decoding of bytes to pixels.
    public var decode: DecodePolicy {
        _read { yield storage.fields.decode }
        set { change(.decode) { $0.decode = newValue } }
    }

    /// The handling of failures.
    public var recovery: RecoveryPolicy {
        _read { yield storage.fields.recovery }
        set { change(.recovery) { $0.recovery = newValue } }
    }

    /// The form in which the response is given.
    public var delivery: DeliveryPolicy {
        _read { yield storage.fields.delivery }
        set { change(.delivery) { $0.delivery = newValue } }
    }

    /// The urgency of the load. Default: ``LoadPriority/normal``.
    public var priority: LoadPriority {
        _read { yield storage.fields.priority }
        set { change(ImageOptionFields(.priority)) { $0.priority = newValue } }
    }

    /// The threads that decode, process and encode the image; `nil`: those of the pipeline. Default: `nil`.
    ///
    /// They are no part of any identity: equal work is done once for requests with different workers, by those of the
    /// request that came first.
    public var workers: PixelWorkers? {
        _read { yield storage.fields.workers }
        set { change(ImageOptionFields(.workers)) { $0.workers = newValue } }
    }

    /// The sources of images of lower quality, from the worst to the best, which a task hands out as
    /// ``ImageTask/previews`` while it loads the image. Default: none.
    ///
    /// All are loaded at once, one step more urgently than the image, and processed as it is. Those that fail are left
    /// out, and those that are no better than one that is there are cancelled, as are all once the image is there. No
    /// preview is loaded for an image in memory, nor where no task is made, and none from a server for an image on disk.
    public var previews: [Source] {
        _read { yield storage.fields.previews }
        set { change(ImageOptionFields(.previews)) { $0.previews = newValue } }
    }

    /// The previews that are made of an image while its bytes arrive from a server, a stream or a slow medium, which a
    /// task hands out as ``ImageTask/previews``. Default: ``ProgressivePolicy/none``.
    ///
    /// They are processed as the image is, and stored in no cache. Equal loads share them.
    public var progressive: ProgressivePolicy {
        _read { yield storage.fields.progressive }
        set { change(ImageOptionFields(.progressive)) { $0.progressive = newValue } }
    }
}

extension ImageOptions {
    /// Returns these options with changes, applied in their order.
    public func applying(_ changes: [ImageOption]) -> ImageOptions {
        var options = self
        options.apply(changes)
        return options
    }

    private mutating func apply(_ changes: [ImageOption]) {
        for change in changes {
            switch change.change {
            case .custom(let closure):
                makeUnique()
                let custom = CustomChange(fields: storage.fields, changes: storage.recentChanges, closure: closure)
                storage.fields = closure.outcome(on: custom.fields)
                storage.fields.values.markNoneRecent()
                storage.noteChange(of: ImageOptionFields.all.differences(between: custom.fields, and: storage.fields))
                storage.customChanges.append(custom)
                storage.recentChanges = []
            case .fields(let fields, let apply):
                makeUnique()
                apply(&storage.fields)
                storage.noteChange(of: fields)
            }
        }
    }

    /// Returns these options with the fields that they leave open filled from others, and the values of the program's own
    /// for the keys that they leave open.
    func filled(from defaults: ImageOptions) -> ImageOptions {
        if isStandard { return defaults }
        if !storage.customChanges.isEmpty { return reapplied(to: defaults) }
        let open = defaults.storage.changes.subtracting(storage.changes)
        let values = storage.fields.values.filled(from: defaults.storage.fields.values)
        if open.isEmpty, values == storage.fields.values { return self }
        var fields = storage.fields
        var rest = open
        // A group of which nothing is set is copied whole, which takes a fraction of the time.
        func copyGroup<Group>(_ group: ImageOptionFields, _ path: WritableKeyPath<Fields, Group>) {
            guard storage.changes.isDisjoint(with: group), !rest.isDisjoint(with: group) else { return }
            fields[keyPath: path] = defaults.storage.fields[keyPath: path]
            rest.subtract(group)
        }
        copyGroup(.cache, \.cache)
        copyGroup(.network, \.network)
        copyGroup(.decode, \.decode)
        copyGroup(.recovery, \.recovery)
        copyGroup(.delivery, \.delivery)
        rest.copy(from: defaults.storage.fields, to: &fields)
        fields.values = values
        var options = self
        options.storage = Storage(fields, storage.changes.union(open))
        return options
    }

    /// Returns the same options without the program's own changes, whose outcome stays. So nothing is applied twice to
    /// options that are derived from these.
    func settled() -> ImageOptions {
        if storage.customChanges.isEmpty { return self }
        var options = self
        options.storage = Storage(storage.fields, storage.changes)
        return options
    }

    /// A Boolean value that indicates whether a larger image in memory may answer.
    var isInexact: Bool { storage.fields.isInexact }

    /// The processors of a load: that of the target size, then those of the processing. Lengths are as they were given.
    var loadProcessing: ImageProcessorChain {
        _read { yield storage.loadProcessing }
    }

    /// The variant of an original that these options name; `nil` for its first frame at its own size. Encoded once for
    /// all copies of the options.
    var variant: ImageKey.Variant? {
        let (chain, scale) = (storage.loadProcessing, storage.fields.delivery.scale)
        let serializer = storage.fields.cache.serializerHook
        if !chain.hasLengthsInPoints || scale == 1, storage.fields.decode.isIdentity,
            serializer == nil || chain.isIdentity
        {
            return chain.variant
        }
        if let variant = storage.encodedVariant.load() { return variant }
        let variant = ImageKey.Variant.of(
            decode: storage.fields.decode,
            processing: chain.inPixels(atScale: scale),
            serializer: serializer
        )
        // Equal values, of which the first is kept.
        return variant.map { storage.encodedVariant.storeIfNil($0) }
    }

    /// Returns the options of the work that a load shares with others: lengths in pixels, and without what is done to
    /// each response on its own.
    func forWork() -> ImageOptions {
        let delivery = storage.fields.delivery
        guard delivery.scale != 1 || delivery.modifier != nil || storage.fields.targetSize != nil else { return self }
        var fields = storage.fields
        fields.processing = storage.loadProcessing.inPixels(atScale: fields.delivery.scale)
        fields.targetSize = nil
        fields.delivery.scale = 1
        fields.delivery.modifier = nil
        var options = self
        options.storage = Storage(fields, storage.changes)
        return options
    }

    /// Returns the options that these changes make of others. All of their fields are set.
    private func reapplied(to defaults: ImageOptions) -> ImageOptions {
        var fields = defaults.storage.fields
        for change in storage.customChanges {
            change.changes.copy(from: change.fields, to: &fields)
            fields = change.closure.outcome(on: fields)
        }
        storage.recentChanges.copy(from: storage.fields, to: &fields)
        var options = self
        options.storage = Storage(fields, .all)
        return options
    }
}

extension IdentifiedClosure<@Sendable (inout ImageOptions) -> Void> {
    /// Returns the fields that the closure makes of others.
    fileprivate func outcome(on fields: ImageOptions.Fields) -> ImageOptions.Fields {
        var options = ImageOptions(fields)
        function(&options)
        return options.fields
    }
}

extension ImageOptions: Hashable {
    /// Returns whether both set the same fields to the same values. A change of your own is equal to its copies only.
    public static func == (left: ImageOptions, right: ImageOptions) -> Bool {
        left.storage === right.storage
            || (left.storage.changes == right.storage.changes && left.storage.fields == right.storage.fields
                && left.storage.customChanges == right.storage.customChanges
                && left.storage.recentChanges == right.storage.recentChanges)
    }

    /// Feeds the values of all fields.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(storage.fields)
    }
}

extension ImageOptions: ExpressibleByArrayLiteral {
    /// Options of a list of changes, applied in their order.
    public init(arrayLiteral changes: ImageOption...) {
        self.init(changes)
    }
}
