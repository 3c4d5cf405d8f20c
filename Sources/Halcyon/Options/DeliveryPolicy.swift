/// The form in which one response is given to its caller. Nothing of it is stored, and equal work is shared by requests
/// that differ in it, unless processors have lengths in points.
public struct DeliveryPolicy: Sendable, Hashable {
    /// The number of pixels of a point: the ``DecodedImage/scale`` of the image. A value that is not greater than 0, or
    /// not finite, counts as 1. Default: 1.
    ///
    /// Lengths and sizes in points that processors have become pixels by it. An image without such processors is the
    /// same at every scale, and is kept once.
    public var scale = 1.0 {
        didSet { if !(scale > 0 && scale < .infinity) { scale = 1 } }
    }

    var modifier: Hook<any ImageModifying>?
    var observerHooks: [Hook<any LoadObserving>] = []

    /// A Boolean value that indicates whether ``ImageResponse/data`` has the encoded original. Default: `false`.
    ///
    /// The bytes are at hand where the load read or received them. For an image from memory, and for a result of
    /// processors from disk, they are read from the disk cache, or from the local file, as the scope and the server of
    /// the image allow; the network and providers are not asked. Where another process has replaced the original since, the
    /// image is made anew, so that both belong together. An image that the program stored without its original has none.
    public var includesOriginalData = false

    /// The place where the callbacks of ``ImagePipeline/loadImage(with:on:progress:completion:)`` are called, unless
    /// the call names another. It has no influence on what is loaded or shared. Default:
    /// ``CallbackExecutor/mainActor``.
    public var callbackExecutor = CallbackExecutor.mainActor

    /// The defaults.
    public init() {}

    /// The modifier that changes the image each time it is delivered; see ``ImageModifying``. Default: `nil`.
    public var imageModifier: (any ImageModifying)? {
        get { modifier?.body }
        set { modifier = newValue.map { Hook($0, identity: $0) } }
    }

    /// The observers of the load, beside those of the pipeline; see ``LoadObserving``. Default: none.
    public var observers: [any LoadObserving] {
        get { observerHooks.map(\.body) }
        set { observerHooks = newValue.map { Hook($0, identity: $0) } }
    }

    /// Returns whether an image in memory is delivered as it is, apart from its scale, and found without regard to
    /// that.
    func isOrdinary(for processing: ImageProcessorChain) -> Bool {
        modifier == nil && observerHooks.isEmpty && !includesOriginalData
            && (scale == 1 || !processing.hasLengthsInPoints)
    }
}
