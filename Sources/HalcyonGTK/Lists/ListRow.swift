internal import CGTK

/// An element of a model. While something holds its object, the model returns the same one each time.
@MainActor
final class ListRow {
    let value: Any
    /// The object, not retained; `nil` while there is none.
    private var object: UnsafeMutableRawPointer?

    init(_ value: Any) {
        self.value = value
    }

    static let type = SwiftInstance.register("HalcyonListRow")

    /// Owned by an object, and tells the row of its end.
    private final class Link {
        let row: ListRow

        init(_ row: ListRow) {
            self.row = row
        }

        deinit {
            // GTK drops its objects on the main thread alone.
            MainActor.assumeIsolated { [row] in row.object = nil }
        }
    }

    /// Returns the object, with a reference for the caller.
    func retainedObject() -> UnsafeMutableRawPointer {
        if let object { return g_object_ref(object) }
        let object = SwiftInstance.make(Self.type, owning: Link(self))
        self.object = object
        return object
    }

    /// The row of an object; `nil` if that is another object.
    static func of(_ object: UnsafeMutableRawPointer) -> ListRow? {
        guard object.isInstance(of: type) else { return nil }
        return SwiftInstance.owned(by: object, as: Link.self).row
    }
}
