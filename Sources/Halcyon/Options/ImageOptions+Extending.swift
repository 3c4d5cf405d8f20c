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
