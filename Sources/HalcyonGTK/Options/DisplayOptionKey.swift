internal import Halcyon

/// A key of an option of views.
///
/// Options of a request come before those of its pipeline also where they are the default: no transition is a choice,
/// too. A value of ``ImageOptionKey`` that is the default counts as none, so that an optional one stands for it.
protocol DisplayOptionKey {
    associatedtype Value: Hashable & Sendable

    /// The value where neither the request nor the pipeline has one.
    static var defaultValue: Value { get }
}

/// The place of a view option's value in options; `nil` where there is none.
enum DisplayOptionValue<Key: DisplayOptionKey>: ImageOptionKey {
    static var defaultValue: Key.Value? { nil }
}

extension ImageOptions {
    /// The value of a view option, or its default.
    subscript<Key: DisplayOptionKey>(key: Key.Type) -> Key.Value {
        self[DisplayOptionValue<Key>.self] ?? Key.defaultValue
    }
}

extension ImageOption {
    /// Sets a view option.
    static func display<Key: DisplayOptionKey>(_ value: Key.Value, for key: Key.Type) -> ImageOption {
        .value(value, for: DisplayOptionValue<Key>.self)
    }
}
