internal import Synchronization

/// How the rows of reading are done: on one thread or two, round and round, in another order than that of storing.
struct DiskReads {
    let threadCount: Int
    let body: DiskSuite.BodySize

    /// The name of the row.
    func name(_ work: String) -> String {
        threadCount == 1 ? work : "\(work), two threads"
    }

    /// - Parameters:
    ///   - read: Reads the body with a number, and returns its length.
    /// - Throws: When run: if not every body was read.
    func contender(_ name: String, _ read: @escaping @Sendable (_ thread: Int, _ index: Int) -> Int) -> Contender {
        var random = SeededRandom(seed: 9)
        let order = (0..<body.entryCount).shuffled(using: &random)
        let (threadCount, bodySize) = (threadCount, body.count)
        return Contender(name) { count in
            let total = Total()
            if threadCount == 1 {
                total.add(Self.sum(order, 0, count, read))
            } else {
                PairOfThreads.run { thread in total.add(Self.sum(order, thread, count, read)) }
            }
            guard total.value == count * threadCount * bodySize else {
                throw BenchmarkError("\(name): not every body was read")
            }
        }
    }

    /// A sum of all threads.
    private final class Total: Sendable {
        private let sum = Atomic(0)

        var value: Int { sum.load(ordering: .relaxed) }

        func add(_ count: Int) {
            sum.add(count, ordering: .relaxed)
        }
    }

    private static func sum(_ order: [Int], _ thread: Int, _ count: Int, _ read: (Int, Int) -> Int) -> Int {
        var sum = 0
        var place = thread * order.count / 2
        for _ in 0..<count {
            sum += read(thread, order[place])
            place += 1
            if place == order.count { place = 0 }
        }
        return sum
    }
}
