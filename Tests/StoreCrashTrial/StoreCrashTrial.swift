internal import FoundationEssentials
internal import Glibc
internal import HalcyonStore

/// Writes entries into a disk cache until it is killed. A test starts it, kills it at any moment, and then looks whether
/// everything it confirmed is there.
///
/// `StoreCrashTrial FOLDER SEED` prints `READY`, then for each entry its number, once its put has returned. What the
/// entry `N` holds is ``TrialEntry``'s to say.
@main
struct StoreCrashTrial {
    static func main() throws {
        let arguments = CommandLine.arguments
        guard arguments.count == 3, let seed = Int(arguments[2]) else {
            throw TrialError("usage: StoreCrashTrial FOLDER SEED")
        }
        var configuration = DiskCache.Configuration(folder: arguments[1])
        // Above what a round can write, so that nothing is evicted.
        configuration.sizeLimit = 8 << 30
        let cache = DiskCache(configuration)
        try say("READY")
        var number = seed
        while true {
            let entry = TrialEntry(number)
            if entry.isStreamed {
                let writer = cache.writer(for: entry.key)
                let half = entry.body.count / 2
                try writer.append(entry.body.prefix(half))
                try writer.append(entry.body.dropFirst(half))
                try writer.commit(metadata: entry.metadata)
            } else {
                try cache.put(entry.key, body: entry.body, metadata: entry.metadata)
            }
            try say("\(number)")
            // Uses are written down in between.
            if number % 7 == 0 { _ = cache.get(entry.key) }
            if number % 50 == 0 { try cache.flush() }
            number += 1
        }
    }

    /// Writes a line with one call, so that a kill cannot leave a part of it: a pipe takes 4,096 bytes as one.
    private static func say(_ line: String) throws {
        let bytes = Array((line + "\n").utf8)
        guard write(1, bytes, bytes.count) == bytes.count else { throw TrialError("nobody listens") }
    }
}

struct TrialError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}
