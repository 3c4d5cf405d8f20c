import FoundationEssentials
import HalcyonStore
import HalcyonTesting
import Testing

@Suite("Threads in the disk cache")
struct DiskCacheConcurrencyTests {
    @Test("a use is written down after a minute at the latest, for other processes to see")
    func usesAreShared() throws {
        let one = try DiskCacheFixture()
        try one.cache.store(bytes(10), for: "a")
        try one.cache.store(bytes(10), for: "b")
        one.clock.advance(by: 5)
        let used = one.clock.clock.now()
        _ = one.cache.entry(for: "a")
        let two = try DiskCacheFixture(in: one.folder, clock: one.clock)
        #expect(try two.cache.entries().first { $0.key == "a" }?.lastAccess != used)
        one.clock.advance(by: 61)
        _ = one.cache.entry(for: "b")
        #expect(try two.cache.entries().first { $0.key == "a" }?.lastAccess == used)
    }

    @Test("two caches on one folder, two threads each, never show a wrong body and keep the limit")
    func hammer() throws {
        let one = try DiskCacheFixture {
            $0.sizeLimit = 400_000
            $0.touchLimit = 8
        }
        let two = try DiskCacheFixture(in: one.folder) { $0.sizeLimit = 400_000 }
        runOnThreads(4) { thread in
            let cache = thread % 2 == 0 ? one.cache : two.cache
            var random = SeededGenerator(state: UInt64(thread))
            for step in 0..<150 {
                let key = "\(Int.random(in: 0..<30, using: &random))"
                do throws(DiskCacheError) {
                    switch Int.random(in: 0..<20, using: &random) {
                    case 0..<8:
                        // The first bytes say whose body it is.
                        let body = Data((key + " ").utf8) + bytes(step % 3 == 0 ? 20_000 : 100, seed: step)
                        try cache.store(body, for: key)
                    case 8..<16:
                        let prefix = Data((key + " ").utf8)
                        if let entry = cache.entry(for: key), !entry.body.starts(with: prefix) {
                            Issue.record("wrong body")
                        }
                    case 16: try cache.remove(for: key)
                    case 17: try cache.removeExpired()
                    case 18: try cache.trim(to: 200_000)
                    default: if step % 50 == 0 { try cache.removeAll() }
                    }
                } catch {
                    Issue.record(error)
                }
            }
        }
        #expect(one.log.events.isEmpty)
        #expect(two.log.events.isEmpty)
        #expect(try one.cache.verify().isSound)
        let statistics = try two.cache.statistics()
        #expect(statistics.bytes <= 400_000)
        #expect(one.folder.bodyFiles.count == statistics.fileCount)
    }
}
