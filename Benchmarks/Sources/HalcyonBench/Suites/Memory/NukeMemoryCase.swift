internal import Dispatch
internal import FoundationEssentials
internal import HalcyonStore

/// The workloads of Nuke's performance tests of its cache in memory, as long as theirs, so that the times can be set
/// beside theirs. Keys are made from URLs, as its cache does.
struct NukeMemoryCase: PairedCase {
    enum Workload: String, CaseIterable {
        case writes = "100,000 writes"
        case hits = "100,000 hits"
        case misses = "100,000 misses"
        case replacements = "100,000 replacements"
        case evictionByCount = "100,000 writes, evicting by count"
        case evictionByCost = "100,000 writes, evicting by cost"
        case oversize = "100,000 writes too large to keep"
        case mixed = "100,000 reads and writes in turn"
        case readers = "8 readers, 12,500 hits each"
        case readersAndWriter = "7 readers and a writer, 12,500 each"
        case removals = "100,000 writes and removals"
    }

    let workload: Workload

    var name: String { "as in Nuke: \(workload.rawValue)" }
    var unit: TimeUnit { .milliseconds }
    var repetitions: Repetitions { .fixed(1) }

    func contest() throws -> Contest {
        let run = try NukeMemoryRun(workload)
        let countLimit = workload == .evictionByCount ? 500 : Int.max
        let costLimit = workload == .evictionByCost ? 500 * NukeMemoryRun.cost : workload == .oversize ? 1 : Int.max
        let cache = MemoryCache<String, CachedObject>(costLimit: costLimit, countLimit: countLimit)
        // Every value has the same cost, so that a limit of the count is one of the cost.
        let list = LockedLeastRecentlyUsed<String, CachedObject>(
            countLimit: min(countLimit, costLimit == .max ? .max : 500)
        )
        run.fill(cache)
        run.fill(list)
        let ours = Contender("MemoryCache") { count in
            for _ in 0..<count { run.perform(on: cache) }
        }
        // The list knows no cost, so it has nothing to refuse.
        if workload == .oversize { return Contest(ours: ours) }
        return Contest(
            ours: ours,
            references: [
                Contender("dictionary and list under a Mutex") { count in
                    for _ in 0..<count { run.perform(on: list) }
                }
            ]
        )
    }
}

/// One workload on either cache.
private struct NukeMemoryRun: Sendable {
    static let cost = 1_000

    private let workload: NukeMemoryCase.Workload
    private let stored: [URL]
    private let asked: [URL]
    private let object = CachedObject(1)

    init(_ workload: NukeMemoryCase.Workload) throws {
        self.workload = workload
        let (storedCount, distinctCount) =
            switch workload {
            case .writes: (0, 500)
            case .misses: (0, 200)
            case .replacements: (1, 1)
            case .evictionByCount, .evictionByCost, .oversize, .removals: (0, 2_000)
            case .hits, .mixed, .readers, .readersAndWriter: (2_000, 2_000)
            }
        let urls = try BenchmarkURLs.make(distinctCount)
        stored = Array(urls.prefix(storedCount))
        var random = SeededRandom(seed: 14)
        asked = (0..<100_000).map { _ in urls[Int.random(in: 0..<urls.count, using: &random)] }
    }

    @inline(__always)
    func fill(_ store: some MemoryStore) {
        for url in stored { store.add(object, for: url.absoluteString, cost: Self.cost) }
    }

    @inline(__always)
    func perform(on store: some MemoryStore) {
        switch workload {
        case .hits, .misses:
            read(store, 0..<asked.count)
        case .writes, .replacements, .evictionByCount, .evictionByCost, .oversize:
            write(store, 0..<asked.count)
        case .mixed:
            for index in asked.indices {
                index.isMultiple(of: 2) ? read(store, index..<index + 1) : write(store, index..<index + 1)
            }
        case .removals:
            for url in asked {
                store.add(object, for: url.absoluteString, cost: Self.cost)
                store.discard(url.absoluteString)
            }
        case .readers, .readersAndWriter:
            let writes = workload == .readersAndWriter
            DispatchQueue.concurrentPerform(iterations: 8) { thread in
                let part = thread * 12_500..<(thread + 1) * 12_500
                writes && thread == 0 ? write(store, part) : read(store, part)
            }
        }
    }

    @inline(__always)
    private func read(_ store: some MemoryStore, _ range: Range<Int>) {
        var sum = 0
        for index in range { sum &+= store.find(asked[index].absoluteString)?.number ?? 0 }
        blackHole(sum)
    }

    @inline(__always)
    private func write(_ store: some MemoryStore, _ range: Range<Int>) {
        for index in range { store.add(object, for: asked[index].absoluteString, cost: Self.cost) }
    }
}

/// What the workloads need of a cache.
private protocol MemoryStore: Sendable {
    func find(_ key: String) -> CachedObject?
    func add(_ object: CachedObject, for key: String, cost: Int)
    func discard(_ key: String)
}

extension MemoryCache<String, CachedObject>: MemoryStore {
    fileprivate func find(_ key: String) -> CachedObject? { entry(for: key) }
    fileprivate func add(_ object: CachedObject, for key: String, cost: Int) { store(object, for: key, cost: cost) }
    fileprivate func discard(_ key: String) { remove(for: key) }
}

extension LockedLeastRecentlyUsed<String, CachedObject>: MemoryStore {
    fileprivate func find(_ key: String) -> CachedObject? { value(for: key) }
    fileprivate func add(_ object: CachedObject, for key: String, cost: Int) { insert(object, for: key) }
    fileprivate func discard(_ key: String) { remove(key) }
}
