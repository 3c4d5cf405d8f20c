/// Values that are to be delivered to code of a user, in the order in which they were added, while no lock is held.
///
/// It is a part of a state that a lock protects, so that values are in the order of the changes that they tell of. One
/// thread delivers at a time; another that adds values meanwhile leaves them to the first and returns at once.
struct DeliveryQueue<Value> {
    private var values: [Value] = []
    private var isDelivering = false

    /// The number of values that wait.
    var count: Int { values.count }

    /// Adds a value at the end.
    mutating func append(_ value: Value) {
        values.append(value)
    }

    /// Returns the values to deliver next; none if there are none, or another thread delivers them.
    ///
    /// - Parameter isDeliverer: A Boolean value that indicates whether the calling thread is the one that delivers,
    ///   `false` before the first call. It must call until no values are returned.
    mutating func next(_ isDeliverer: inout Bool) -> [Value] {
        guard isDeliverer || !isDelivering else { return [] }
        isDelivering = !values.isEmpty
        isDeliverer = isDelivering
        let next = values
        values = []
        return next
    }
}
