/// What a row of the memory suite is about: how many threads do it, and whether their keys are ready.
struct MemoryWork {
    /// How a key comes about.
    enum KeyOrigin: CaseIterable {
        case ready
        case url
    }

    let threadCount: Int
    let keyOrigin: KeyOrigin

    /// One thread and two, keys ready and built.
    static var all: [MemoryWork] {
        KeyOrigin.allCases.flatMap { origin in
            [1, 2].map { MemoryWork(threadCount: $0, keyOrigin: origin) }
        }
    }

    /// The name of the row.
    func name(_ work: String) -> String {
        work + (keyOrigin == .url ? ", key from URL" : "") + (threadCount == 1 ? "" : ", two threads")
    }

    /// Calls `work` with the numbers of keys, one after the other and round and round, `count` times on each thread,
    /// and adds up what it returns. Inlined, so that a cache is specialised as in a program.
    @inline(__always)
    func contender(
        _ name: String,
        keyCount: Int,
        _ work: @escaping @Sendable (_ index: Int) -> Int
    ) -> Contender {
        let threadCount = threadCount
        let places = PlacesOnThreads(keyCount)
        return Contender(name) { count in
            if threadCount == 1 {
                blackHole(places.goOn(0, count, work))
            } else {
                PairOfThreads.run { thread in blackHole(places.goOn(thread, count, work)) }
            }
        }
    }
}

/// Where each thread is in its round over the keys, from one sample to the next: what is stored once more too soon is
/// replaced where it was to evict.
///
/// Unchecked: each thread touches its own place only.
private final class PlacesOnThreads: @unchecked Sendable {
    private let keyCount: Int
    private let places: UnsafeMutablePointer<Int>
    /// Places that lie in one line of the processor's cache would make the threads wait for each other.
    private static let stride = 16

    init(_ keyCount: Int) {
        self.keyCount = keyCount
        places = .allocate(capacity: 2 * Self.stride)
        places.initialize(repeating: 0, count: 2 * Self.stride)
        // Threads that walk in step would share more than threads do.
        places[Self.stride] = keyCount / 2
    }

    deinit {
        places.deallocate()
    }

    @inline(__always)
    func goOn(_ thread: Int, _ count: Int, _ work: (_ index: Int) -> Int) -> Int {
        var sum = 0
        var index = places[thread * Self.stride]
        for _ in 0..<count {
            sum &+= work(index)
            index += 1
            if index == keyCount { index = 0 }
        }
        places[thread * Self.stride] = index
        return sum
    }
}
