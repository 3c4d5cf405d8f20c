extension ImageOption {
    /// Sets a value of the program's own; see ``ImageOptionKey``.
    public static func value<Key: ImageOptionKey>(_ value: Key.Value, for key: Key.Type) -> ImageOption {
        var values = ImageOptionValues()
        values.set(value, for: key)
        return ImageOption(values) { [values] in $0.values.take(values) }
    }

    /// Takes the load through these interceptors, after those of the pipeline, the first outermost; see
    /// ``LoadIntercepting``.
    public static func interceptors(_ interceptors: any LoadIntercepting...) -> ImageOption {
        let hooks = interceptors.map { Hook<any LoadIntercepting>($0, identity: $0) }
        return ImageOption(hooks) { $0.interceptorHooks = hooks }
    }

    /// Asks these loaders for the bytes of sources, before those of the pipeline; see ``SourceLoading``.
    public static func loaders(_ loaders: any SourceLoading...) -> ImageOption {
        let hooks = loaders.map { Hook<any SourceLoading>($0, identity: $0) }
        return ImageOption(hooks) { $0.loaderHooks = hooks }
    }
}
