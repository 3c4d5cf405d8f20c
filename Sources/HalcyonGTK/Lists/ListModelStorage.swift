internal import CGTK

/// The elements of a model, as GTK sees them: an object for each, which is made when it is asked for.
@MainActor
final class ListModelStorage {
    var rows: [ListRow]

    init(_ rows: [ListRow]) {
        self.rows = rows
    }

    private static let type: GType = {
        let type = SwiftInstance.register("HalcyonListModel")
        var interface = GInterfaceInfo()
        interface.interface_init = { table, _ in
            let table = nonnull(table).assumingMemoryBound(to: GListModelInterface.self)
            table.pointee.get_item_type = { _ in MainActor.assumeIsolated { ListRow.type } }
            table.pointee.get_n_items = { model in ListModelStorage.with(model) { guint($0.rows.count) } }
            table.pointee.get_item = { model, position in
                nonisolated(unsafe) var object: UnsafeMutableRawPointer?
                ListModelStorage.with(model) { storage in
                    if position < storage.rows.count { object = storage.rows[Int(position)].retainedObject() }
                }
                return object
            }
        }
        g_type_add_interface_static(type, g_list_model_get_type(), &interface)
        return type
    }()

    /// Returns a new `GListModel *` of these elements, which the caller owns.
    func makeModel() -> UnsafeMutableRawPointer { SwiftInstance.make(Self.type, owning: self) }

    /// Calls a closure with the storage of a model. GTK asks models on the main thread alone.
    private nonisolated static func with<Result: Sendable>(
        _ model: OpaquePointer?,
        _ body: @MainActor (ListModelStorage) -> Result
    ) -> Result {
        let storage = SwiftInstance.owned(by: UnsafeMutableRawPointer(nonnull(model)), as: ListModelStorage.self)
        return MainActor.assumeIsolated { body(storage) }
    }
}
