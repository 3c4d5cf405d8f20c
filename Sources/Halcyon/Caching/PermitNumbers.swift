/// The numbers of the permits under one name: mostly one or two, for which nothing is allocated.
struct PermitNumbers: Sendable {
    /// 0 where there is none: a ``WorkNumber`` is greater.
    private var first: UInt64 = 0
    private var second: UInt64 = 0
    private var others: Set<UInt64> = []

    var count: Int { (first == 0 ? 0 : 1) + (second == 0 ? 0 : 1) + others.count }

    var isEmpty: Bool { first == 0 && second == 0 && others.isEmpty }

    /// Returns the lowest number; `nil` if there is none.
    func min() -> UInt64? {
        [first, second, others.min() ?? 0].filter { $0 != 0 }.min()
    }

    /// Adds a number that is not there.
    mutating func insert(_ number: UInt64) {
        if first == 0 {
            first = number
        } else if second == 0 {
            second = number
        } else {
            others.insert(number)
        }
    }

    mutating func remove(_ number: UInt64) {
        if first == number {
            first = 0
        } else if second == number {
            second = 0
        } else {
            others.remove(number)
        }
    }
}
