/// The entries that a change removed from the index.
struct RemovedRows {
    var count = 0
    /// The number of entries that had been used since their place in the order was written, and have another place now.
    var correctedCount = 0
    /// Files to remove once the transaction is committed: no entry uses them any more.
    var files: [Int64] = []
    /// The keys of the entries, if they were requested.
    var keys: [String] = []
}
