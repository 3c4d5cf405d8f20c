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
    var storage: Storage

    var fields: Fields { storage.fields }

    init(_ fields: Fields) {
        storage = Storage(fields)
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

    /// Takes the fields for itself, so that they may be changed.
    mutating func makeUnique() {
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
    /// The source of the image itself stands for what the caches have of it, however old that is: together with
    /// ``ImageOption/revalidate``, a cached image is shown at once, and again when its server has a newer one.
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

extension ImageOptions: Hashable {
    /// Returns whether both set the same fields to the same values. A change of your own is equal to its copies only.
    public static func == (left: ImageOptions, right: ImageOptions) -> Bool {
        left.storage === right.storage
            || (left.storage.changes == right.storage.changes && left.storage.fields == right.storage.fields
                && left.storage.customChanges == right.storage.customChanges
                && left.storage.recentChanges == right.storage.recentChanges)
    }

    /// Hashes the values of all fields.
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
