public import HalcyonSystem
internal import Synchronization

/// The options of the load of one image: a whole value, in which no default of a pipeline counts any more.
///
/// Most loads change some defaults of their pipeline with a list of ``ImageOption``. For many loads with the same
/// options, keep a value that has the changes already:
///
/// ```swift
/// let options = pipeline.options([.processor(.downsample(to: .pixels(400, 400))), .cacheOriginalImage])
/// let requests = urls.map { ImageRequest($0, exactly: options) }
/// ```
public struct ImageOptions: Sendable {
    var storage: Storage

    var fields: Fields { storage.fields }

    /// The whole value of fields.
    init(_ fields: Fields) {
        storage = Storage(fields)
    }

    private static let standard = Storage(Fields())

    /// The standard values, whatever the defaults of a pipeline.
    public init() {
        storage = Self.standard
    }

    /// A Boolean value that indicates whether a look into memory needs nothing of these options but their processing
    /// and scale. Stored beside the fields, as each look asks for it.
    @inline(__always)
    var isOrdinary: Bool { storage.isOrdinary }

    /// Returns these options with changes, applied in their order.
    public func applying(_ changes: [ImageOption]) -> ImageOptions {
        if changes.isEmpty { return self }
        var options = self
        options.change { fields in
            for change in changes { change.apply(&fields) }
        }
        return options
    }

    /// Changes fields.
    mutating func change(_ body: (inout Fields) -> Void) {
        // A variant that was encoded before is that of the earlier fields.
        if isKnownUniquelyReferenced(&storage), storage.encodedVariant.load() == nil {
            body(&storage.fields)
            storage.update()
        } else {
            var fields = fields
            body(&fields)
            storage = Storage(fields)
        }
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
        set { change { $0.processing = newValue } }
    }

    /// The size of the place that shows the image: it is decoded no larger, before ``processing``. `nil`: its own size.
    /// Default: `nil`.
    ///
    /// Images of different sizes are kept apart. ``CachePolicy/precision`` says whether a larger one in memory may
    /// answer.
    public var targetSize: TargetSize? {
        _read { yield storage.fields.targetSize }
        set { change { $0.targetSize = newValue } }
    }

    /// The reading and writing of caches.
    public var cache: CachePolicy {
        _read { yield storage.fields.cache }
        set { change { $0.cache = newValue } }
    }

    /// The use of the network.
    public var network: NetworkPolicy {
        _read { yield storage.fields.network }
        set { change { $0.network = newValue } }
    }

    /// The decoding of bytes to pixels.
    public var decode: DecodePolicy {
        _read { yield storage.fields.decode }
        set { change { $0.decode = newValue } }
    }

    /// The handling of failures.
    public var recovery: RecoveryPolicy {
        _read { yield storage.fields.recovery }
        set { change { $0.recovery = newValue } }
    }

    /// The form in which the response is given.
    public var delivery: DeliveryPolicy {
        _read { yield storage.fields.delivery }
        set { change { $0.delivery = newValue } }
    }

    /// The urgency of the load. Default: ``LoadPriority/normal``.
    public var priority: LoadPriority {
        _read { yield storage.fields.priority }
        set { change { $0.priority = newValue } }
    }

    /// The threads that decode, process and encode the image; `nil`: those of the pipeline. Default: `nil`.
    ///
    /// They are no part of any identity: equal work is done once for requests with different workers, by those of the
    /// request that came first.
    public var workers: PixelWorkers? {
        _read { yield storage.fields.workers }
        set { change { $0.workers = newValue } }
    }

    /// The sources of images of lower quality, from the worst to the best, which a task hands out as
    /// ``ImageTask/previews`` while it loads the image. Default: none.
    ///
    /// The source of the image itself stands for what the caches have of it, however old that is: together with
    /// ``ImageOption/revalidate``, a cached image is shown at once, and again when its server has a newer one.
    ///
    /// All are loaded at once, one step more urgently than the image, and processed as it is. Those that fail are left
    /// out, and those that are no better than one that is there are cancelled, as are all once the image is there. No
    /// preview is loaded for an image in memory, nor where no task is made, and none from a server for an image on disk.
    public var previews: [Source] {
        _read { yield storage.fields.previews }
        set { change { $0.previews = newValue } }
    }

    /// The previews that are made of an image while its bytes arrive from a server or a stream, which a task hands
    /// out as ``ImageTask/previews``. Default: ``ProgressivePolicy/none``.
    ///
    /// They are processed as the image is, and stored in no cache. Equal loads share them.
    public var progressive: ProgressivePolicy {
        _read { yield storage.fields.progressive }
        set { change { $0.progressive = newValue } }
    }
}

extension ImageOptions: Hashable {
    /// Returns whether all fields have the same values.
    public static func == (left: ImageOptions, right: ImageOptions) -> Bool {
        left.storage === right.storage || left.storage.fields == right.storage.fields
    }

    /// Hashes the values of all fields.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(storage.fields)
    }
}

extension ImageOptions {
    /// The values of all fields.
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

        var loadProcessing: ImageProcessorChain {
            targetSize.map { $0.processing |> processing } ?? processing
        }

        func isOrdinary(for processing: ImageProcessorChain) -> Bool {
            ImageKey.isPlain(decode, cache, network) && cache.reads.includesMemory && !cache.mayAskAnyway
                && cache.targetCache == nil && cache.memoryExtension == .originalLifetime && !isInexact
                && delivery.isOrdinary(for: processing) && values.identity == nil && !isIntercepted
        }

        /// A Boolean value that indicates whether interceptors or loaders are named.
        var isIntercepted: Bool { !interceptorHooks.isEmpty || !loaderHooks.isEmpty }

        /// A Boolean value that indicates whether a larger image in memory may answer.
        var isInexact: Bool { targetSize != nil && cache.precision == .inexact }
    }

    /// The fields, shared by all copies until one of them is changed: options are passed with each look into memory,
    /// and hold a dozen references that would have to be counted.
    ///
    /// Unchecked: the fields are changed only while no other options share them, which is also why they are not checked
    /// for exclusive access.
    final class Storage: @unchecked Sendable {
        @exclusivity(unchecked)
        fileprivate(set) var fields: Fields
        /// ``ImageOptions/isOrdinary``.
        @exclusivity(unchecked)
        private(set) var isOrdinary: Bool
        /// ``ImageOptions/loadProcessing``.
        @exclusivity(unchecked)
        private(set) var loadProcessing: ImageProcessorChain
        /// ``ImageOptions/variant``, once it was asked for and had to be encoded.
        let encodedVariant = AtomicLazyReference<ImageKey.Variant>()

        init(_ fields: Fields) {
            self.fields = fields
            loadProcessing = fields.loadProcessing
            isOrdinary = fields.isOrdinary(for: loadProcessing)
        }

        /// Derives from the fields what is stored beside them.
        fileprivate func update() {
            loadProcessing = fields.loadProcessing
            isOrdinary = fields.isOrdinary(for: loadProcessing)
        }
    }
}

extension ImageOptions {
    /// The value of the program's own for a key. Default: ``ImageOptionKey/defaultValue``.
    public subscript<Key: ImageOptionKey>(key: Key.Type) -> Key.Value {
        get { values[key] }
        set {
            change { $0.values.set(newValue, for: key) }
        }
    }

    /// The interceptors of the load, after those of the pipeline, the first outermost; see ``LoadIntercepting``. They
    /// are part of no identity. Default: none.
    public var interceptors: [any LoadIntercepting] {
        get { fields.interceptorHooks.map(\.body) }
        set {
            let hooks = newValue.map { Hook<any LoadIntercepting>($0, identity: $0) }
            change { $0.interceptorHooks = hooks }
        }
    }

    /// The loaders of the request, which are asked before those of the pipeline; see ``SourceLoading``. The provider
    /// that one of them returns is the identity of the image, and not the loader. Default: none.
    public var loaders: [any SourceLoading] {
        get { fields.loaderHooks.map(\.body) }
        set {
            let hooks = newValue.map { Hook<any SourceLoading>($0, identity: $0) }
            change { $0.loaderHooks = hooks }
        }
    }
}
