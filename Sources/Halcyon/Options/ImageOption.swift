/// One change to ``ImageOptions``.
public struct ImageOption: Sendable {
    enum Change: Sendable {
        /// Sets fields that are known, also to the values that they have.
        case fields(ImageOptionFields, @Sendable (inout ImageOptions.Fields) -> Void)
        /// Sets the fields whose values it changes.
        case custom(@Sendable (inout ImageOptions) -> Void)
    }

    let change: Change

    /// A change of your own. It sets the fields whose values it changes.
    public init(_ apply: @escaping @Sendable (inout ImageOptions) -> Void) {
        change = .custom(apply)
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
