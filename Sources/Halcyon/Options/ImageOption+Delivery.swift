extension ImageOption {
    /// Sets the place where the callbacks of ``ImagePipeline/loadImage(with:on:progress:completion:)`` are called.
    public static func callbackExecutor(_ executor: CallbackExecutor) -> ImageOption {
        ImageOption(.callbackExecutor) { $0.delivery.callbackExecutor = executor }
    }
}
