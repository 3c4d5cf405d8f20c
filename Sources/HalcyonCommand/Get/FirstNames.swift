/// The first image of each name, of the names that were seen last: it may have the name without digits, so that names do
/// not depend on which transfer ends first.
struct FirstNames {
    /// A later image of a name that is not among these gets digits if the name's file is there, as it does in the next
    /// run.
    private static let capacity = 100_000

    private var firsts: [Int: Int] = [:]
    private var order: [Int] = []
    private var oldest = 0

    /// Returns whether an image is the first of its name, or the same as that one.
    mutating func isFirst(_ identity: String, named name: String) -> Bool {
        let (key, value) = (name.hashValue, identity.hashValue)
        if let first = firsts[key] { return first == value }
        if order.count < Self.capacity {
            order.append(key)
        } else {
            firsts.removeValue(forKey: order[oldest])
            order[oldest] = key
            oldest = (oldest + 1) % Self.capacity
        }
        firsts[key] = value
        return true
    }
}
