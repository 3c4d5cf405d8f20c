public import HalcyonConcurrency

/// How one image is loaded. Every field has a default; ``ImagePipeline/Configuration/defaultOptions`` may set others, from
/// which all options start that a pipeline is given: a list of changes is applied to them, and of an `ImageOptions` value
/// each field counts that differs from what ``init()`` says.
///
/// To set a field back to what it is without them, use a list of changes, or change a copy of the pipeline's
/// `configuration.defaultOptions`.
///
/// An array literal makes options of the defaults: its elements are changes, applied in their order.
///
/// ```swift
/// let options: ImageOptions = [.processor(.downsample(to: PixelSize(400, 400))), .cacheOriginalImage]
/// ```
public struct ImageOptions: Sendable {
    private var storage: Storage

    /// Shared by all copies until one of them is changed: options go with each look into memory, and hold a dozen
    /// references that would have to be counted.
    ///
    /// Unchecked: the fields are changed only while no other options share them, which is also why they are not checked
    /// for exclusive access.
    private final class Storage: @unchecked Sendable {
        @exclusivity(unchecked)
        var fields: Fields
        /// ``ImageOptions/isOrdinary``.
        @exclusivity(unchecked)
        var isOrdinary: Bool
        /// Of which defaults the fields were made; `nil` for the standard ones.
        let base: Base?

        init(_ fields: Fields, base: Base? = nil) {
            self.fields = fields
            isOrdinary = fields.isOrdinary
            self.base = base
        }
    }

    /// Tells the defaults of one pipeline from those of another.
    private final class Base: Sendable {}

    private struct Fields: Sendable, Hashable {
        var processing: ImageProcessorChain = .identity
        var cache = CachePolicy()
        var network = NetworkPolicy()
        var decode = DecodePolicy()
        var recovery = RecoveryPolicy()
        var priority: LoadPriority = .normal

        var isOrdinary: Bool {
            ImageKey.isPlain(decode, cache, network) && cache.reads != .none && !cache.mayAskAnyway
                && cache.targetCache == nil && cache.memoryExtension == .originalLifetime
        }
    }

    private static let standard = Storage(Fields())

    /// The defaults.
    public init() {
        storage = Self.standard
    }

    private var fields: Fields {
        _read { yield storage.fields }
        _modify {
            if !isKnownUniquelyReferenced(&storage) { storage = Storage(storage.fields, base: storage.base) }
            defer { storage.isOrdinary = storage.fields.isOrdinary }
            yield &storage.fields
        }
    }

    /// Whether a look into memory has to know nothing of these options but their processing. Kept beside the fields, as each
    /// look asks for it.
    @inline(__always)
    var isOrdinary: Bool { storage.isOrdinary }

    /// The same as the defaults of a pipeline, with which options are made that need no others.
    func asBase() -> ImageOptions {
        var options = self
        if !isStandard { options.storage = Storage(fields, base: Base()) }
        return options
    }

    /// Whether these are the defaults, untouched.
    var isStandard: Bool { storage === Self.standard }

    /// Whether both were made of the defaults of one pipeline.
    func hasBase(of other: ImageOptions) -> Bool {
        storage === other.storage || (storage.base != nil && storage.base === other.storage.base)
    }

    /// What is done to the image. Default: ``ImageProcessorChain/identity``.
    public var processing: ImageProcessorChain {
        _read { yield fields.processing }
        _modify { yield &fields.processing }
    }

    /// What is read from and written to the caches.
    public var cache: CachePolicy {
        _read { yield fields.cache }
        _modify { yield &fields.cache }
    }

    /// Whether and how the network is used.
    public var network: NetworkPolicy {
        _read { yield fields.network }
        _modify { yield &fields.network }
    }

    /// How bytes become pixels.
    public var decode: DecodePolicy {
        _read { yield fields.decode }
        _modify { yield &fields.decode }
    }

    /// What happens when the load fails.
    public var recovery: RecoveryPolicy {
        _read { yield fields.recovery }
        _modify { yield &fields.recovery }
    }

    /// How urgent the image is. Default: ``LoadPriority/normal``.
    public var priority: LoadPriority {
        _read { yield fields.priority }
        _modify { yield &fields.priority }
    }
}

extension ImageOptions: Hashable {
    /// Whether both say the same.
    public static func == (left: ImageOptions, right: ImageOptions) -> Bool {
        left.storage === right.storage || left.fields == right.fields
    }

    /// Feeds what the options say.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(fields)
    }
}

extension ImageOptions: ExpressibleByArrayLiteral {
    /// The defaults with these changes.
    public init(arrayLiteral changes: ImageOption...) {
        self = ImageOptions().applying(changes)
    }

    /// These options with changes, applied in their order.
    public func applying(_ changes: [ImageOption]) -> ImageOptions {
        var options = self
        for change in changes {
            change.apply(&options)
        }
        return options
    }
}

/// One change to ``ImageOptions``.
public struct ImageOption: Sendable {
    let apply: @Sendable (inout ImageOptions) -> Void

    /// A change of your own.
    public init(_ apply: @escaping @Sendable (inout ImageOptions) -> Void) {
        self.apply = apply
    }
}
