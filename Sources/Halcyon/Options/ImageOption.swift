/// One change to the ``ImagePipeline/Configuration/defaultOptions`` of a pipeline, which applies a list of them in order.
public struct ImageOption: Sendable {
    /// The name of the function that made the option, and its argument: options of both are equal.
    private let name: String
    private let value: any Hashable & Sendable
    /// Applies the change.
    let apply: @Sendable (inout ImageOptions.Fields) -> Void

    /// A change of your own. A pipeline applies it to options that have the pipeline's defaults already.
    ///
    /// - Parameters:
    ///   - id: The name of the change, its parameters included, by which two are equal; `nil` for a change that is equal to
    ///     its copies only. Default: `nil`.
    ///   - apply: Changes the options. It may run several times, on any thread, and must make the same of the same
    ///     options.
    public init(id: String? = nil, _ apply: @escaping @Sendable (inout ImageOptions) -> Void) {
        name = "custom"
        value = id ?? IdentifiedClosure(apply) as any Hashable & Sendable
        self.apply = { fields in
            var options = ImageOptions(fields)
            apply(&options)
            fields = options.fields
        }
    }

    /// A change of fields.
    ///
    /// - Parameter value: The argument of the function that makes the option; `true` for an option without one.
    init(
        _ value: some Hashable & Sendable,
        name: String = #function,
        _ apply: @escaping @Sendable (inout ImageOptions.Fields) -> Void
    ) {
        self.name = name
        self.value = value
        self.apply = apply
    }
}

extension ImageOption: Hashable {
    /// Returns whether both make the same change. One of your own without an id is equal to its copies only.
    public static func == (left: ImageOption, right: ImageOption) -> Bool {
        left.name == right.name && left.value.isEqual(to: right.value)
    }

    /// Hashes the change.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(name)
        value.hash(into: &hasher)
    }
}
