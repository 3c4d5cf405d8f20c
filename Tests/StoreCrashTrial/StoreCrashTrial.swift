internal import FoundationEssentials
internal import Glibc
internal import HalcyonStore
internal import Synchronization

/// Uses a disk cache with several threads until it is killed, or for a number of steps. A test or a script starts it, and
/// then looks whether what it confirmed is there and whether anything is wrong.
///
/// `StoreCrashTrial FOLDER SEED` prints `READY`; four threads store and two look up. Thread `T` stores the entries
/// `SEED + T`, `SEED + T + 4` and so on, and prints the number of each once it is confirmed: its store has returned, where
/// it was staged a flush as well, and where its metadata changes later, that change. What the entry `N` holds is ``TrialEntry``'s to say.
///
/// `StoreCrashTrial FOLDER SEED STEPS` makes so many steps of everything, trims and clears included, on entries that other
/// processes use too, and ends with status 0 if no look-up gave wrong bytes and the limit held.
@main
struct StoreCrashTrial {
    static func main() throws {
        let arguments = CommandLine.arguments
        guard arguments.count == 3 || arguments.count == 4, let seed = Int(arguments[2]) else {
            throw TrialError("usage: StoreCrashTrial FOLDER SEED [STEPS]")
        }
        if arguments.count == 4 {
            guard let steps = Int(arguments[3]) else { throw TrialError("STEPS is a number") }
            try SharedFolderTrial(folder: arguments[1], seed: seed).run(steps: steps)
            return
        }
        var configuration = DiskCache.Configuration(folder: arguments[1])
        // Above what a round can write, so that nothing is evicted.
        configuration.sizeLimit = 8 << 30
        let cache = DiskCache(configuration)
        try cache.open()
        try say("READY")
        let latest = (0..<4).map { LatestNumber(seed + $0) }
        for writer in 0..<4 {
            Thread.start {
                try write(into: cache, from: seed + writer) { latest[writer].value.store($0, ordering: .relaxed) }
            }
        }
        for reader in 0..<2 {
            Thread.start {
                var random = SystemRandomNumberGenerator()
                while true {
                    let end = latest[Int.random(in: 0..<4, using: &random)].value.load(ordering: .relaxed)
                    let number = Int.random(in: seed...end, using: &random)
                    let entry = TrialEntry(number)
                    if let found = cache.entry(for: entry.key),
                        found.body != entry.body || !entry.allows(found.metadata)
                    {
                        throw TrialError("reader \(reader): wrong bytes for \(number)")
                    }
                }
            }
        }
        while true { pause() }
    }

    private static func write(into cache: DiskCache, from start: Int, done: (Int) -> Void) throws {
        var number = start
        var staged: [Int] = []
        while true {
            let entry = TrialEntry(number)
            if entry.isStaged {
                try cache.store(entry.body, for: entry.key, metadata: entry.metadata, durability: .none)
                staged.append(number)
            } else {
                try cache.store(entry.body, for: entry.key, metadata: entry.metadata)
                try update(entry, in: cache)
                try say("\(number)")
            }
            done(number)
            // Uses are written down in between.
            if number % 7 == 0 { _ = cache.entry(for: entry.key) }
            if number % 23 == 0 {
                try cache.flush()
                for number in staged {
                    try update(TrialEntry(number), in: cache)
                    try say("\(number)")
                }
                staged = []
            }
            number += 4
        }
    }

    private static func update(_ entry: TrialEntry, in cache: DiskCache) throws {
        guard let metadata = entry.laterMetadata else { return }
        guard try cache.updateMetadata(metadata, for: entry.key) else { throw TrialError("\(entry.key) is gone") }
    }

    /// Writes a line with one call, so that a kill cannot leave a part of it: a pipe takes 4,096 bytes as one.
    static func say(_ line: String) throws {
        let bytes = Array((line + "\n").utf8)
        guard Glibc.write(1, bytes, bytes.count) == bytes.count else { throw TrialError("nobody listens") }
    }
}

/// How far a thread has come.
private final class LatestNumber: Sendable {
    let value: Atomic<Int>

    init(_ number: Int) {
        value = Atomic(number)
    }
}

struct TrialError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}

/// A thread of this program. What it throws ends the program with status 3.
enum Thread {
    private final class Work: Sendable {
        let body: @Sendable () throws -> Void

        init(_ body: @escaping @Sendable () throws -> Void) {
            self.body = body
        }
    }

    @discardableResult
    static func start(_ body: @escaping @Sendable () throws -> Void) -> pthread_t {
        var id = pthread_t()
        let code = pthread_create(
            &id,
            nil,
            { context in
                guard let context else { return nil }
                do {
                    try Unmanaged<Work>.fromOpaque(context).takeRetainedValue().body()
                } catch {
                    let bytes = Array("\(error)\n".utf8)
                    _ = Glibc.write(2, bytes, bytes.count)
                    exit(3)
                }
                return nil
            },
            Unmanaged.passRetained(Work(body)).toOpaque()
        )
        precondition(code == 0, "no thread can be started")
        return id
    }
}
