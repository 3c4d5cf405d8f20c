internal import FoundationEssentials
internal import Glibc
internal import HalcyonStore
internal import Synchronization

/// A cache of a million small entries, which all cases that need it share. The first of them makes it.
final class ManyEntries: Sendable {
    /// What each holds: little, since it is their number that counts.
    static let body = Data(repeating: 7, count: 100)

    let count: Int
    private let keptFolder: String?
    private let made = Mutex<Made?>(nil)

    private struct Made {
        let path: String
        /// Nil if the folder is to be kept.
        let folder: TemporaryFolder?
    }

    /// - Parameter folder: Where it is kept. Default: it is removed at the end.
    init(count: Int, folder: String?) {
        self.count = count
        keptFolder = folder
    }

    /// As the rows call it.
    var name: String {
        var digits = String(count)
        for place in stride(from: digits.count - 3, to: 0, by: -3) {
            digits.insert(",", at: digits.index(digits.startIndex, offsetBy: place))
        }
        return "\(digits) entries"
    }

    /// The keys, in the order in which they were stored.
    var keys: [String] { BenchmarkURLs.texts(count, seed: 13) }

    /// What opens it. Makes it if it is not there.
    func configuration() throws -> DiskCache.Configuration {
        try made.withLock { made in
            if let made { return Self.configuration(made.path) }
            let folder = keptFolder == nil ? try TemporaryFolder() : nil
            let path = keptFolder ?? folder?.file("many") ?? ""
            let configuration = Self.configuration(path)
            try fill(configuration)
            made = Made(path: path, folder: folder)
            return configuration
        }
    }

    /// Removes it, unless it is to be kept.
    func remove() {
        made.withLock { $0 = nil }
    }

    private static func configuration(_ path: String) -> DiskCache.Configuration {
        var configuration = DiskCache.Configuration(folder: path)
        configuration.sizeLimit = 1 << 40
        configuration.expiration = .never
        return configuration
    }

    /// Stores what is not there: all of them, or those that an earlier run evicted.
    private func fill(_ configuration: DiskCache.Configuration) throws {
        let cache = DiskCache(configuration)
        let present = try cache.statistics().count
        if present >= count { return try cache.close() }
        StandardStream.error.writeLine(
            "halcyon-bench: making \(name) in \(configuration.folder); a million take a few minutes and 600 MB."
        )
        let start = TimeSample.now.wall
        for key in keys where present == 0 || !cache.contains(key) {
            try cache.store(Self.body, for: key, durability: .none)
        }
        try cache.close()
        let seconds = Int((TimeSample.now.wall - start) / 1e9)
        StandardStream.error.writeLine("halcyon-bench: made in \(seconds) s.")
    }
}
