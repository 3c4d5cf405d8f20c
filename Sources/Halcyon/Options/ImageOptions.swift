public import HalcyonConcurrency

/// How one image is loaded. Every field has a default; ``ImagePipeline/Configuration/defaultOptions`` may set others.
///
/// An array literal makes options of the defaults: its elements are changes, applied in their order.
///
/// ```swift
/// let options: ImageOptions = [.processor(.downsample(to: PixelSize(400, 400))), .cacheOriginalImage]
/// ```
public struct ImageOptions: Sendable, Hashable {
    /// What is done to the image. Default: ``ImageProcessing/identity``.
    public var processing: ImageProcessing = .identity
    /// What is read from and written to the caches.
    public var cache = CachePolicy()
    /// Whether and how the network is used.
    public var network = NetworkPolicy()
    /// How bytes become pixels.
    public var decode = DecodePolicy()
    /// What happens when the load fails.
    public var recovery = RecoveryPolicy()
    /// How urgent the image is. Default: ``LoadPriority/normal``.
    public var priority: LoadPriority = .normal

    /// The defaults.
    public init() {}
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
