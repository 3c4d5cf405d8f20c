internal import CReferences
internal import FoundationEssentials

/// Bare SQLite as a store.
///
/// Unchecked: whoever makes one uses it on one thread at a time.
final class ReferenceStore: @unchecked Sendable {
    let path: String
    private let store: OpaquePointer

    /// - Parameter isDurable: Whether each transaction reaches the device.
    init(_ path: String, isDurable: Bool = false) throws {
        guard let store = halcyon_reference_store_open(path, isDurable) else {
            throw BenchmarkError("\(path) cannot be opened")
        }
        self.path = path
        self.store = store
    }

    deinit {
        halcyon_reference_store_close(store)
    }

    func put(_ key: String, _ body: Data) throws {
        let code = body.withUnsafeBytes { halcyon_reference_store_put(store, key, $0.baseAddress, $0.count) }
        guard code == 0 else { throw BenchmarkError("\(path) cannot be written") }
    }

    /// The length of the body, or -1.
    func get(_ key: String) -> Int {
        Int(halcyon_reference_store_get(store, key))
    }

    func transaction(_ body: () throws -> Void) throws {
        guard halcyon_reference_store_begin(store) == 0 else { throw BenchmarkError("\(path) is busy") }
        try body()
        guard halcyon_reference_store_commit(store) == 0 else { throw BenchmarkError("\(path) cannot be written") }
    }
}
