import FoundationEssentials
import Glibc
import HalcyonStore
import Testing

@testable import StoreCrashTrial

@Suite("A process killed while four of its threads write into the disk cache and two read")
struct DiskCacheKillTests {
    /// `HALCYON_KILL_ROUNDS` asks for more of them; `Scripts/store-trials` does.
    private static var roundCount: Int { number(named: "HALCYON_KILL_ROUNDS") ?? 15 }

    @Test("loses no entry that was confirmed, leaves nothing wrong, and its leftovers are cleaned")
    func kill() throws {
        let folder = try TemporaryFolder()
        var random = SystemRandomNumberGenerator()
        var confirmed = Set<Int>()
        for round in 0..<Self.roundCount {
            let start = (round + 1) * 1_000_000
            let trial = try TrialProcess(folder.path, seed: start)
            // Killed after so many confirmed entries and a random time more, so at any point of the next stores.
            let numbers = try trial.kill(
                afterEntries: Int.random(in: 0..<60, using: &random),
                microseconds: UInt32.random(in: 0..<4_000, using: &random)
            )
            #expect(Set(numbers).count == numbers.count, "each entry is confirmed once")
            confirmed.formUnion(numbers)
            try examine(folder, all: confirmed, since: start, "round \(round)")
        }
        #expect(confirmed.count > Self.roundCount, "the processes lived long enough to write")
    }

    /// - Parameter start: where the numbers of the last process began. What earlier ones stored is read in whole by
    ///   `verify()`.
    private func examine(_ folder: TemporaryFolder, all confirmed: Set<Int>, since start: Int, _ round: String) throws {
        let log = EventLog()
        var configuration = DiskCache.Configuration(folder: folder.path)
        configuration.sizeLimit = 8 << 30
        configuration.onEvent = { log.add($0) }
        let cache = DiskCache(configuration)
        let keys = Set(try cache.entries().map(\.key))
        #expect(confirmed.allSatisfy { keys.contains(TrialEntry.key($0)) }, "\(round): a confirmed entry is gone")
        // Those of the last process, confirmed or not, are there in whole or not at all.
        for key in keys {
            guard let number = Int(key.dropFirst("trial/".count)), number >= start else { continue }
            let wanted = TrialEntry(number)
            let found = cache.entry(for: key)
            #expect(found?.body == wanted.body, "\(round): entry \(number)")
            let isConfirmed = confirmed.contains(number)
            #expect(
                found.map { wanted.allows($0.metadata, isConfirmed: isConfirmed) } == true,
                "\(round): metadata of entry \(number)"
            )
        }
        #expect(try cache.removeExpired() == 0)
        let report = try cache.verify()
        #expect(report.isSound, "\(round): \(report)")
        #expect(report.checkedCount == keys.count)
        #expect(folder.bodyFiles.count == (try cache.statistics().fileCount), "\(round): orphans are left")
        #expect(log.events.isEmpty, "\(round): \(log.events)")
        try cache.close()
    }
}

/// A number that the environment gives.
func number(named name: String) -> Int? {
    getenv(name).flatMap { Int(String(cString: $0)) }
}
