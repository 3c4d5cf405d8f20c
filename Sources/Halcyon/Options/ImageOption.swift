/// One change to ``ImageOptions``.
public struct ImageOption: Sendable {
    enum Change: Sendable {
        /// Sets fields that are known, also to the values that they have.
        case fields(ImageOptionFields, @Sendable (inout ImageOptions.Fields) -> Void)
        /// A change of the program's own, whose outcome depends on the fields that it finds.
        case custom(IdentifiedClosure<@Sendable (inout ImageOptions) -> Void>)
    }

    let change: Change

    /// A change of your own. A pipeline applies it to options that have the pipeline's defaults already.
    ///
    /// - Parameter apply: Changes the options. It may run several times, on any thread, and must make the same of the same
    ///   options.
    public init(_ apply: @escaping @Sendable (inout ImageOptions) -> Void) {
        change = .custom(IdentifiedClosure(apply))
    }

    /// A change of one field.
    init(_ field: ImageOptionField, apply: @escaping @Sendable (inout ImageOptions.Fields) -> Void) {
        change = .fields(ImageOptionFields(field), apply)
    }

    /// A change of several fields.
    init(_ fields: [ImageOptionField], apply: @escaping @Sendable (inout ImageOptions.Fields) -> Void) {
        change = .fields(ImageOptionFields(fields), apply)
    }
}
