internal import ArgumentParser
internal import FoundationEssentials
internal import Halcyon

extension CacheCommand {
    /// The command `halcyon cache hosts`, which `halcyon cache` alone stands for.
    struct Hosts: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Show the entries of each host: number, size, hits and ages, as charts.",
            discussion: """
                The bar is the host's share of the bytes. A hit is an entry that was used after it was stored: the cache \
                keeps the time of the last use of each entry, not their number. Ages are columns for entries that were \
                stored in the last hour, day, week and month, and before.
                """
        )

        @OptionGroup var arguments: Arguments

        private struct Record: Encodable {
            let host: String
            let entries: Int
            let bytes: Int
            let hits: Int
            let ages: [Int]
        }

        func run() async throws {
            let images = try await arguments.run { try await $0.storedImages() }
            let hosts = HostUse.all(of: images, at: Date())
            if arguments.json {
                for host in hosts {
                    let record = Record(
                        host: host.name,
                        entries: host.count,
                        bytes: host.bytes,
                        hits: host.hits,
                        ages: host.ages
                    )
                    Terminal.print(JSONLine.text(record))
                }
                return
            }
            guard !hosts.isEmpty else { return Terminal.print("Nothing is in the cache.") }
            for line in HostUse.chart(of: hosts, width: Terminal.resultWidth ?? 80) { Terminal.print(line) }
        }
    }
}

/// The entries of one host in the cache.
struct HostUse {
    /// The host of URLs; "files" and "data" for images without one.
    let name: String
    private(set) var count = 0
    /// The bytes of the bodies.
    private(set) var bytes = 0
    /// The number of entries that were used after they were stored.
    private(set) var hits = 0
    /// The number of entries by age: as many as ``ageLimits``, and the older ones.
    private(set) var ages = [Int](repeating: 0, count: ageLimits.count + 1)

    /// The ages in seconds at which columns end: an hour, a day, a week, 30 days.
    private static let ageLimits: [Double] = [3_600, 86_400, 604_800, 2_592_000]

    /// Returns the hosts of these images, the one with the most bytes first.
    static func all(of images: [ImageCache.StoredImage], at now: Date) -> [HostUse] {
        var hosts: [String: HostUse] = [:]
        for image in images {
            let name = host(of: image.original)
            hosts[name, default: HostUse(name: name)].add(image.listing, at: now)
        }
        return hosts.values.sorted { $0.bytes != $1.bytes ? $0.bytes > $1.bytes : $0.name < $1.name }
    }

    init(name: String, count: Int = 0, bytes: Int = 0, hits: Int = 0) {
        (self.name, self.count, self.bytes, self.hits) = (name, count, bytes, hits)
    }

    private mutating func add(_ listing: DiskCache.Listing, at now: Date) {
        count += 1
        bytes += listing.bodySize
        // Both times are noted at once when it is stored.
        if listing.lastAccess > listing.storedAt { hits += 1 }
        let age = now.timeIntervalSince(listing.storedAt)
        ages[Self.ageLimits.firstIndex { age < $0 } ?? Self.ageLimits.count] += 1
    }

    private static func host(of original: String) -> String {
        if original.prefix(5).lowercased() == "data:" { return "data" }
        guard let url = URL(string: original), let host = url.host(), !host.isEmpty else { return "files" }
        return host
    }

    /// Returns a table with a bar and columns for each host, in this many columns of the terminal.
    static func chart(of hosts: [HostUse], width: Int) -> [String] {
        let total = max(1, hosts.reduce(0) { $0 + $1.bytes })
        var table = TextTable([
            ("Host", .left), ("Entries", .right), ("Size", .right), ("Share", .left), ("Hits", .right), ("Ages", .left),
        ])
        // What the other columns take at most; a narrow window has shorter bars and names.
        let bar = min(24, max(4, (width - 44) / 2))
        let longest = max(8, width - 44 - bar)
        for host in hosts {
            table.append([
                host.name.abbreviated(toColumns: longest),
                "\(host.count)",
                Format.bytes(host.bytes),
                Self.bar(Double(host.bytes) / Double(total), width: bar),
                "\(host.hits * 100 / host.count) %",
                Self.columns(host.ages),
            ])
        }
        return table.lines
    }

    /// Returns a bar in eighths of a character; what is more than nothing shows.
    private static func bar(_ share: Double, width: Int) -> String {
        let eighths = max(share > 0 ? 1 : 0, Int((share * Double(8 * width)).rounded()))
        let part = eighths % 8 == 0 ? "" : String(["▏", "▎", "▍", "▌", "▋", "▊", "▉"][eighths % 8 - 1])
        return String(repeating: "█", count: eighths / 8) + part
    }

    /// Returns a column for each number, as high as its part of the largest.
    private static func columns(_ counts: [Int]) -> String {
        let largest = max(1, counts.max() ?? 0)
        let heights = ["▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"]
        return counts.map { $0 == 0 ? "·" : heights[($0 * 8 + largest - 1) / largest - 1] }.joined()
    }
}
