/// The delivery of results.
public struct DeliveryPolicy: Sendable, Hashable {
    /// The place where the callbacks of ``ImagePipeline/loadImage(with:on:progress:completion:)`` are called, unless
    /// the call names another. It has no influence on what is loaded or shared. Default:
    /// ``CallbackExecutor/mainActor``.
    public var callbackExecutor = CallbackExecutor.mainActor

    /// The defaults.
    public init() {}
}
