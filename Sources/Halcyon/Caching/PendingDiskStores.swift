internal import HalcyonConcurrency

/// The stores of an ``AsyncDiskCache`` that are in progress.
struct PendingDiskStores {
    /// A store in progress.
    struct Store {
        let name: String
        let task: Task<Void, Never>
        /// The priority of the store, which those that wait for it raise.
        let priority: PriorityBox
        let byteCount: Int
    }

    private var stores: [UInt64: Store] = [:]
    /// The numbers of the stores under each name.
    private var numbers: [ExactString: Set<UInt64>] = [:]
    private var lastNumber: UInt64 = 0
    /// The bytes that wait in memory to be stored.
    private(set) var byteCount = 0

    /// All stores.
    var all: [Store] { Array(stores.values) }

    /// Returns the stores under a name, with their numbers.
    func stores(under name: String) -> [(number: UInt64, store: Store)] {
        // Most look-ups find nothing in progress.
        if stores.isEmpty { return [] }
        return (numbers[ExactString(name)] ?? []).compactMap { number in stores[number].map { (number, $0) } }
    }

    /// Returns a number for a store that is about to be added.
    mutating func nextNumber() -> UInt64 {
        lastNumber += 1
        return lastNumber
    }

    /// Adds a store.
    mutating func add(_ store: Store, number: UInt64) {
        stores[number] = store
        numbers[ExactString(store.name), default: []].insert(number)
        byteCount += store.byteCount
    }

    /// Removes a store that has ended.
    mutating func remove(_ number: UInt64) {
        guard let ended = stores.removeValue(forKey: number) else { return }
        let name = ExactString(ended.name)
        numbers[name]?.remove(number)
        if numbers[name]?.isEmpty == true { numbers[name] = nil }
        byteCount -= ended.byteCount
    }
}
