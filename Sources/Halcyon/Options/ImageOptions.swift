public import HalcyonConcurrency

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
/// An assignment that does not change a field's value leaves it open; name the field in a literal, or call
/// ``applying(_:)``, to set it to the value that it has.
public struct ImageOptions: Sendable {
    private var storage: Storage

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
        /// ``ImageOptions/isOrdinary``.
        @exclusivity(unchecked)
        var isOrdinary: Bool

        init(_ fields: Fields, _ changes: ImageOptionFields) {
            self.fields = fields
            self.changes = changes
            isOrdinary = fields.isOrdinary
        }
    }

    /// The values of all fields, those that are left open included.
    struct Fields: Sendable, Hashable {
        var processing: ImageProcessorChain = .identity
        var cache = CachePolicy()
        var network = NetworkPolicy()
        var decode = DecodePolicy()
        var recovery = RecoveryPolicy()
        var priority: LoadPriority = .normal

        fileprivate var isOrdinary: Bool {
            ImageKey.isPlain(decode, cache, network) && cache.reads != .none && !cache.mayAskAnyway
                && cache.targetCache == nil && cache.memoryExtension == .originalLifetime
        }
    }

    private static let standard = Storage(Fields(), [])

    /// Options that leave every field open.
    public init() {
        storage = Self.standard
    }

    /// Options of a list of changes, applied in their order.
    public init(_ changes: [ImageOption]) {
        storage = Self.standard
        apply(changes)
    }

    /// A Boolean value that indicates whether a look into memory needs nothing of these options but their processing.
    /// Stored beside the fields, as each look asks for it.
    @inline(__always)
    var isOrdinary: Bool { storage.isOrdinary }

    /// A Boolean value that indicates whether these are the standard options, untouched.
    var isStandard: Bool { storage === Self.standard }

    private mutating func makeUnique() {
        if !isKnownUniquelyReferenced(&storage) { storage = Storage(storage.fields, storage.changes) }
    }

    /// Changes fields, and marks those among `candidates` whose values differ afterwards as set.
    private mutating func change(_ candidates: ImageOptionFields, _ body: (inout Fields) -> Void) {
        makeUnique()
        let earlier = storage.fields
        body(&storage.fields)
        for field in candidates.each where !field.isEqual(earlier, storage.fields) {
            storage.changes.formUnion(ImageOptionFields(field))
        }
        storage.isOrdinary = storage.fields.isOrdinary
    }

    /// The processing of the image. Default: ``ImageProcessorChain/identity``.
    public var processing: ImageProcessorChain {
        _read { yield storage.fields.processing }
        set { change(ImageOptionFields(.processing)) { $0.processing = newValue } }
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

    /// The urgency of the load. Default: ``LoadPriority/normal``.
    public var priority: LoadPriority {
        _read { yield storage.fields.priority }
        set { change(ImageOptionFields(.priority)) { $0.priority = newValue } }
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
            case .custom(let apply):
                apply(&self)
            case .fields(let fields, let apply):
                makeUnique()
                apply(&storage.fields)
                storage.changes.formUnion(fields)
                storage.isOrdinary = storage.fields.isOrdinary
            }
        }
    }

    /// Returns these options with the fields that they leave open filled from others.
    func filled(from defaults: ImageOptions) -> ImageOptions {
        if isStandard { return defaults }
        let open = defaults.storage.changes.subtracting(storage.changes)
        if open.isEmpty { return self }
        var options = self
        options.storage = Storage(storage.fields, storage.changes.union(open))
        for field in open.each {
            field.copy(from: defaults.storage.fields, to: &options.storage.fields)
        }
        options.storage.isOrdinary = options.storage.fields.isOrdinary
        return options
    }
}

extension ImageOptions: Hashable {
    /// Returns whether both set the same fields to the same values.
    public static func == (left: ImageOptions, right: ImageOptions) -> Bool {
        left.storage === right.storage
            || (left.storage.changes == right.storage.changes && left.storage.fields == right.storage.fields)
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
